from .certificates import (
    lower_bound as lower_bound,
    proves_infeasible as proves_infeasible,
)
from .methods import (
    Method as Method,
)
from .model import (
    LinearModel as LinearModel,
    ModelBuilder as ModelBuilder,
)
from .polytope import (
    Columns as Columns,
    add_distributions as add_distributions,
    add_privacy as add_privacy,
    matrix_columns as matrix_columns,
)
from .solution import (
    Outcome as Outcome,
    Solution as Solution,
)
from .solver import (
    Solver as Solver,
    solve as solve,
)
