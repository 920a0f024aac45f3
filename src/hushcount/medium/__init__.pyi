from .behind import (
    Behind as Behind,
    is_lossless as is_lossless,
)
from .certified.bound import (
    Bound as Bound,
    BoundTable as BoundTable,
)
from .certified.bounds import (
    bounds as bounds,
)
from .certified.medium_optimum import (
    Basis as Basis,
    MediumOptimum as MediumOptimum,
)
from .certified.optimum import (
    optimum as optimum,
)
from .channels.bits import (
    binary_erasure as binary_erasure,
    binary_symmetric as binary_symmetric,
    z_channel as z_channel,
)
from .channels.decided import (
    DecidedMedium as DecidedMedium,
)
from .channels.fsk import (
    fsk as fsk,
)
from .channels.given import (
    from_matrix as from_matrix,
    read_medium as read_medium,
)
from .channels.gray import (
    gray_code as gray_code,
)
from .channels.measured import (
    MeasuredMedium as MeasuredMedium,
    from_counts as from_counts,
    read_counts as read_counts,
)
from .channels.pam import (
    pam as pam,
)
from .channels.plane.apsk import (
    apsk as apsk,
    cross_qam as cross_qam,
)
from .channels.plane.constellation import (
    constellation as constellation,
)
from .channels.plane.points import (
    read_points as read_points,
)
from .channels.psk import (
    psk as psk,
)
from .channels.qam import (
    qam as qam,
)
from .channels.rounding import (
    rounding as rounding,
)
from .channels.snake import (
    snake_labels as snake_labels,
)
from .channels.symmetric import (
    symmetric_channel as symmetric_channel,
)
from .label_search import (
    SearchedLabels as SearchedLabels,
    searched_labels as searched_labels,
)
from .medium import (
    Medium as Medium,
)
from .readings import (
    Heard as Heard,
    heard as heard,
)
from .theorem_2.lossless import (
    Losslessness as Losslessness,
    Verdict as Verdict,
)
from .theorem_2.statement import (
    AppliedStatement as AppliedStatement,
    Conclusion as Conclusion,
)
from .theorem_2.statements import (
    canonical_fits as canonical_fits,
    corollary_2_1 as corollary_2_1,
    statement_1 as statement_1,
    statement_1_with_radius as statement_1_with_radius,
    statement_2_max_norm as statement_2_max_norm,
    statement_2_row_norm as statement_2_row_norm,
    statement_3 as statement_3,
    statement_4 as statement_4,
    statement_5 as statement_5,
    statement_6 as statement_6,
)
from .thresholds import (
    Threshold as Threshold,
    largest_lossless_epsilon as largest_lossless_epsilon,
    largest_lossless_p as largest_lossless_p,
    required_snr as required_snr,
)
