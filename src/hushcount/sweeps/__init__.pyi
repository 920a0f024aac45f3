from .grid import (
    Grid as Grid,
)
from .grid import (
    mechanism_grid as mechanism_grid,
)
from .grid import (
    medium_grid as medium_grid,
)
from .mechanism_row import (
    MechanismPoint as MechanismPoint,
)
from .mechanism_row import (
    MechanismRow as MechanismRow,
)
from .medium_row import (
    MediumPoint as MediumPoint,
)
from .medium_row import (
    MediumRow as MediumRow,
)
from .run import (
    Sweep as Sweep,
)
from .run import (
    run_sweep as run_sweep,
)
from .run import (
    sweep as sweep,
)
