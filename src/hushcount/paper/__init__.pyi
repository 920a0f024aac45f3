from .registry import (
    paper_statements as paper_statements,
)
from .report import (
    PaperReport as PaperReport,
)
from .report import (
    PaperVerdict as PaperVerdict,
)
from .report import (
    StatementReport as StatementReport,
)
from .run import (
    check_paper as check_paper,
)
from .statement import (
    Case as Case,
)
from .statement import (
    Erratum as Erratum,
)
from .statement import (
    Statement as Statement,
)
from .statement import (
    Tolerance as Tolerance,
)
