from .certificates import (
    lower_bound as lower_bound,
    proves_infeasible as proves_infeasible,
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
from .solver import (
    Method as Method,
    Outcome as Outcome,
    Solution as Solution,
    Solver as Solver,
    solve as solve,
)
