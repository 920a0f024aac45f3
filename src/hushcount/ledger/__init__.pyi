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
    Budget as Budget,
    Charge as Charge,
    Grant as Grant,
)
from .verification import (
    Verdict as Verdict,
    Verification as Verification,
)
