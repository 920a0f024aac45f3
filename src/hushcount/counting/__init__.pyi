from .declared.options import (
    ReadOptions as ReadOptions,
)
from .declared.schema import (
    Schema as Schema,
    SchemaColumn as SchemaColumn,
)
from .judging import (
    judge as judge,
)
from .predicate.predicate import (
    Predicate as Predicate,
    parse_predicate as parse_predicate,
)
from .sources.inspection import (
    check_source as check_source,
    read_schema as read_schema,
)
from .tally import (
    OpenTable as OpenTable,
    Tally as Tally,
    count_matching as count_matching,
)
