from .registry import (
    paper_statements as paper_statements,
)
from .report import (
    Report as Report,
    StatementReport as StatementReport,
    Verdict as Verdict,
)
from .run import (
    check_paper as check_paper,
)
from .statement import (
    Case as Case,
    Erratum as Erratum,
    Statement as Statement,
    Tolerance as Tolerance,
)
