from .judging import (
    judge as judge,
)
from .predicate.predicate import (
    Predicate as Predicate,
)
from .predicate.predicate import (
    parse_predicate as parse_predicate,
)
from .sources.options import (
    ReadOptions as ReadOptions,
)
from .sources.reading import (
    check_source as check_source,
)
from .sources.reading import (
    read_schema as read_schema,
)
from .sources.schema import (
    Schema as Schema,
)
from .sources.schema import (
    SchemaColumn as SchemaColumn,
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
