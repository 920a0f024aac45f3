from .errors import (
    plot_errors as plot_errors,
)
from .mechanism import (
    plot_mechanism as plot_mechanism,
)
from .medium import (
    MediumCurve as MediumCurve,
    medium_curve as medium_curve,
    plot_medium as plot_medium,
)
from .output import (
    save_figure as save_figure,
)
from .prices import (
    plot_prices as plot_prices,
)
from .profile import (
    plot_privacy_profile as plot_privacy_profile,
)
from .rows import (
    plot_rows as plot_rows,
)
from .shared_entries import (
    plot_shared_entries as plot_shared_entries,
)
from .sweep import (
    plot_sweep as plot_sweep,
)
from .table import (
    plot_table as plot_table,
)
from .tradeoff import (
    plot_tradeoff as plot_tradeoff,
)
