from .grid import (
    Grid as Grid,
    grid_values as grid_values,
    medium_grid as medium_grid,
)
from .grid_of_mechanisms import (
    mechanism_grid as mechanism_grid,
)
from .mechanism_row import (
    MechanismPoint as MechanismPoint,
    MechanismRow as MechanismRow,
)
from .medium_row import (
    MediumPoint as MediumPoint,
    MediumRow as MediumRow,
)
from .mu_row import (
    MuPoint as MuPoint,
    MuRow as MuRow,
)
from .run import (
    Sweep as Sweep,
    run_sweep as run_sweep,
    sweep as sweep,
)
from .table import (
    read_sweep as read_sweep,
)
