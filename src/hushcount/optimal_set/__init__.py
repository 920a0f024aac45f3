"""All the mechanisms with the least worst-case error probability, and the best of all private ones for a loss."""

from hushcount.optimal_set.design import Basis, Design, design
from hushcount.optimal_set.families import (
    four_outcome_optimum,
    four_outcome_ranges,
    three_outcome_determinant,
    three_outcome_optimum,
    three_outcome_range,
)
from hushcount.optimal_set.membership import Condition, Membership, MembershipVerdict
from hushcount.optimal_set.optimal_set import OptimalSet
from hushcount.optimal_set.propagation import Propagation, propagate
from hushcount.optimal_set.ranges import EntryRange, Ranges
from hushcount.optimal_set.rank import FullRankReason, RankGuarantee
from hushcount.optimal_set.rank_search import RankFinding, RankVerdict
from hushcount.optimal_set.shared import SharedSum, shared_count

__all__ = [
    "Basis",
    "Condition",
    "Design",
    "EntryRange",
    "FullRankReason",
    "Membership",
    "MembershipVerdict",
    "OptimalSet",
    "Propagation",
    "Ranges",
    "RankFinding",
    "RankGuarantee",
    "RankVerdict",
    "SharedSum",
    "design",
    "four_outcome_optimum",
    "four_outcome_ranges",
    "propagate",
    "shared_count",
    "three_outcome_determinant",
    "three_outcome_optimum",
    "three_outcome_range",
]
