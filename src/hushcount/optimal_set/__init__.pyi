from .designing import (
    Basis as Basis,
)
from .designing import (
    Design as Design,
)
from .designing import (
    design as design,
)
from .families import (
    four_outcome_optimum as four_outcome_optimum,
)
from .families import (
    four_outcome_ranges as four_outcome_ranges,
)
from .families import (
    three_outcome_determinant as three_outcome_determinant,
)
from .families import (
    three_outcome_optimum as three_outcome_optimum,
)
from .families import (
    three_outcome_range as three_outcome_range,
)
from .membership import (
    Condition as Condition,
)
from .membership import (
    Membership as Membership,
)
from .membership import (
    MembershipVerdict as MembershipVerdict,
)
from .optimal_set import (
    OptimalSet as OptimalSet,
)
from .propagation import (
    Propagation as Propagation,
)
from .propagation import (
    propagate as propagate,
)
from .ranges import (
    EntryRange as EntryRange,
)
from .ranges import (
    Ranges as Ranges,
)
from .rank import (
    FullRankReason as FullRankReason,
)
from .rank import (
    RankGuarantee as RankGuarantee,
)
from .rank_search import (
    RankFinding as RankFinding,
)
from .rank_search import (
    RankVerdict as RankVerdict,
)
from .shared import (
    SharedSum as SharedSum,
)
from .shared import (
    shared_count as shared_count,
)
