"""Linear programs over private mechanisms, and what is certain about their answers."""

from hushcount.linear_program.certificates import lower_bound, proves_infeasible
from hushcount.linear_program.model import LinearModel, ModelBuilder
from hushcount.linear_program.polytope import Columns, add_distributions, add_privacy, matrix_columns
from hushcount.linear_program.solver import Method, Outcome, Solution, Solver, solve

__all__ = [
    "Columns",
    "LinearModel",
    "Method",
    "ModelBuilder",
    "Outcome",
    "Solution",
    "Solver",
    "add_distributions",
    "add_privacy",
    "lower_bound",
    "matrix_columns",
    "proves_infeasible",
    "solve",
]
