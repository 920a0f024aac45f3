from .declared.options import (
    ReadOptions as ReadOptions,
)
from .declared.schema import (
    Schema as Schema,
)
from .declared.schema import (
    SchemaColumn as SchemaColumn,
)
from .judging import (
    judge as judge,
)
from .predicate.predicate import (
    Predicate as Predicate,
)
from .predicate.predicate import (
    parse_predicate as parse_predicate,
)
from .sources.inspection import (
    check_source as check_source,
)
from .sources.inspection import (
    read_schema as read_schema,
)
from .tally import (
    OpenTable as OpenTable,
)
from .tally import (
    Tally as Tally,
)
from .tally import (
    count_matching as count_matching,
)
