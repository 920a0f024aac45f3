from .designing import (
    Basis as Basis,
    Design as Design,
    design as design,
)
from .diagonals import (
    RightWhere as RightWhere,
    right_where as right_where,
)
from .families import (
    four_outcome_optimum as four_outcome_optimum,
    four_outcome_ranges as four_outcome_ranges,
    three_outcome_determinant as three_outcome_determinant,
    three_outcome_optimum as three_outcome_optimum,
    three_outcome_range as three_outcome_range,
)
from .membership import (
    Condition as Condition,
    Membership as Membership,
    MembershipVerdict as MembershipVerdict,
)
from .optimal_set import (
    OptimalSet as OptimalSet,
)
from .propagation import (
    Propagation as Propagation,
    propagate as propagate,
)
from .ranges import (
    EntryRange as EntryRange,
    Ranges as Ranges,
)
from .rank import (
    FullRankReason as FullRankReason,
    RankGuarantee as RankGuarantee,
)
from .rank_search import (
    RankFinding as RankFinding,
    RankVerdict as RankVerdict,
)
from .shared import (
    SharedSum as SharedSum,
    shared_count as shared_count,
)
