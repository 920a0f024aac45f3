from .accounting import (
    Accounting as Accounting,
)
from .creation import (
    create_budget as create_budget,
)
from .ledger import (
    Ledger as Ledger,
)
from .listed import (
    ListedSource as ListedSource,
)
from .listing import (
    add_source as add_source,
)
from .question import (
    Question as Question,
)
from .records import (
    Basis as Basis,
)
from .records import (
    Budget as Budget,
)
from .records import (
    Charge as Charge,
)
from .records import (
    Grant as Grant,
)
from .verification import (
    LedgerVerdict as LedgerVerdict,
)
from .verification import (
    Verification as Verification,
)
