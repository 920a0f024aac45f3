"""The paper, [RV26] in docs/bibliography.md, statement by statement: what it says, held against computations that know
nothing of it.
"""

from hushcount.paper.registry import paper_statements
from hushcount.paper.report import PaperReport, PaperVerdict, StatementReport
from hushcount.paper.run import check_paper
from hushcount.paper.statement import Case, Erratum, Statement, Tolerance

__all__ = [
    "Case",
    "Erratum",
    "PaperReport",
    "PaperVerdict",
    "Statement",
    "StatementReport",
    "Tolerance",
    "check_paper",
    "paper_statements",
]
