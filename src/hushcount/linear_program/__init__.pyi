from .certificates import (
    lower_bound as lower_bound,
)
from .certificates import (
    proves_infeasible as proves_infeasible,
)
from .model import (
    LinearModel as LinearModel,
)
from .model import (
    ModelBuilder as ModelBuilder,
)
from .polytope import (
    Columns as Columns,
)
from .polytope import (
    add_distributions as add_distributions,
)
from .polytope import (
    add_privacy as add_privacy,
)
from .polytope import (
    matrix_columns as matrix_columns,
)
from .solver import (
    Method as Method,
)
from .solver import (
    Outcome as Outcome,
)
from .solver import (
    Solution as Solution,
)
from .solver import (
    Solver as Solver,
)
from .solver import (
    solve as solve,
)
