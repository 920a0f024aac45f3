from .count.release import (
    release_count as release_count,
)
from .receipt import (
    Receipt as Receipt,
)
from .session import (
    Session as Session,
)
from .table.found import (
    FROM_DATA as FROM_DATA,
    FromData as FromData,
)
from .table.receipt import (
    TableReceipt as TableReceipt,
)
from .table.release import (
    release_table as release_table,
)
from .table.round_trip import (
    round_trip as round_trip,
)
