from .accounting import (
    Accounting as Accounting,
)
from .budget import (
    Budget as Budget,
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
    Charge as Charge,
    Grant as Grant,
)
from .verification import (
    Verdict as Verdict,
    Verification as Verification,
)
