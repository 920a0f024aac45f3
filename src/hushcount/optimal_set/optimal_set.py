"""The set of all optimal mechanisms of one (n, epsilon, delta)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.inputs.arrays import generator
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.explicit import Explicit
from hushcount.mechanisms.optima.canonical import Canonical
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number
from hushcount.optimal_set.designing import Design, best_member
from hushcount.optimal_set.losses import Loss
from hushcount.optimal_set.members import sampled, vertices
from hushcount.optimal_set.membership import Membership, contains
from hushcount.optimal_set.objective import Prior
from hushcount.optimal_set.propagation import Propagation, propagate
from hushcount.optimal_set.radius import radius_bound
from hushcount.optimal_set.ranges import EntryRange, Ranges, entry_ranges, radius
from hushcount.optimal_set.rank import RankGuarantee, full_rank_guarantee
from hushcount.optimal_set.rank_search import RankFinding, rank_search
from hushcount.optimal_set.shared import SharedSum, is_unique, shared_entries, shared_sums, shared_values
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["OptimalSet"]


@dataclass(frozen=True, init=False)
class OptimalSet:
    """All (epsilon, delta)-DP mechanisms on 0..n with the least worst-case error probability ([RV26] Theorem 1).

    It is the face {P private : every p(i, i) = gamma} of the polytope of private mechanisms, gamma = 1 - p_e*. Closed
    forms give much of it; certified linear programs over it (`optimal_set.face`) give the rest. Matrices have rows =
    true count and columns = released count, 0..n.

    Attributes:
        nearest: the member that is closest to the truth (`hushcount.nearest`); it holds n, epsilon and delta.
    """

    nearest: Nearest

    def __init__(self, n: int, epsilon: Number, delta: Number = 0) -> None:
        """Take the counts 0..n and the promise.

        Args:
            n: the largest count, an integer >= 0.
            epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.

        Raises:
            InvalidParameter: naming the argument, its value and the rule.
        """
        object.__setattr__(self, "nearest", Nearest(n, EpsilonDelta.of(epsilon, delta)))

    @property
    def n(self) -> int:
        """The largest count."""
        return self.nearest.n

    @property
    def canonical(self) -> Canonical:
        """The member that the paper builds on ([RV26] (11))."""
        return Canonical(self.n, self.nearest.privacy)

    @property
    def error_probability(self) -> float:
        """p_e*, the error probability of every member for every true count ([RV26] (10))."""
        return self.nearest.error_probability

    # Which mechanisms are in it, and what they share: closed forms.

    def contains(self, mechanism_or_matrix: Mechanism | ArrayLike) -> Membership:
        """Return whether a mechanism is a member, and if not, what fails and by how much; see
        `optimal_set.membership.contains`."""
        return contains(self.nearest, mechanism_or_matrix)

    def __contains__(self, mechanism_or_matrix: Mechanism | ArrayLike) -> bool:
        return bool(self.contains(mechanism_or_matrix))

    @property
    def shared_entries(self) -> NDArray[np.bool_]:
        """Which entries are the same in every member ([RV26] (12)); see `optimal_set.shared.shared_entries`."""
        return shared_entries(self.nearest)

    @property
    def shared_values(self) -> Floats:
        """The values of the shared entries, NaN elsewhere."""
        return shared_values(self.nearest)

    @property
    def shared_sums(self) -> tuple[SharedSum, ...]:
        """The sums of a row that are the same in every member ([RV26] (13))."""
        return shared_sums(self.nearest)

    @property
    def is_unique(self) -> bool:
        """Whether there is only one member ([RV26] Theorem 1 statement 2)."""
        return is_unique(self.nearest)

    @property
    def radius_bound(self) -> float:
        """R_M >= `radius` ([RV26] Lemma 2 (23)), in closed form at any n, rounded up."""
        return radius_bound(self.nearest)

    @property
    def is_full_rank_guaranteed(self) -> bool:
        """Whether a theorem says that every member has full rank; `full_rank_guarantee` gives the reason."""
        return bool(self.full_rank_guarantee)

    @property
    def full_rank_guarantee(self) -> RankGuarantee:
        """The argument that every member has full rank ([RV26] Theorem 1 statement 4, or the sharper one of
        docs/theory.md), or that there is none."""
        return full_rank_guarantee(self.nearest)

    def propagate(self, mechanism_or_matrix: Mechanism | ArrayLike | None = None) -> Propagation:
        """Return the paper's argument, step by step, from a member's active constraints (by default the canonical
        one's)."""
        return propagate(self.nearest, self.canonical if mechanism_or_matrix is None else mechanism_or_matrix)

    # What takes linear programs.

    @cached_property
    def ranges(self) -> Ranges:
        """The range of every entry over all members, certified; up to 65 outcomes."""
        return entry_ranges(self.nearest)

    def entry_range(self, i: int, j: int) -> EntryRange:
        """Return certified bounds of Pr(output = j | i) over all members, rounded outward.

        Raises:
            InvalidParameter: i or j outside 0..n.
            TooLarge, SolverFailed: see `optimal_set.ranges.entry_ranges`.
        """
        place = integer(i, "i", least=0), integer(j, "j", least=0)
        for name, value in zip(("i", "j"), place, strict=True):
            if not value <= self.n:
                raise InvalidParameter(name, value, f"a count from 0 to n = {self.n}")
        return entry_ranges(self.nearest, [place])[place]

    @property
    def radius(self) -> float:
        """Delta_M ([RV26] Definition 1), the largest distance of an entry of a member from the canonical one's; from
        the ranges, rounded up."""
        return radius(self.nearest, self.ranges)

    def best(self, loss: Loss, prior: Prior = "worst", *, properties: Iterable[str] = ()) -> Design:
        """Return the member with the least expected loss, certified.

        Where no loss falls with distance and no property is imposed, it is the nearest one, by theorem (docs/theory.md,
        "The nearest optimum"); otherwise it is found by a linear program over the face. There is always a member with
        all seven properties: (1 - delta) times the explicit fair mechanism plus delta times the identity.

        Arguments, result and errors are those of `hushcount.design`, restricted to the optimal mechanisms. A matrix
        that is returned is private by proof. It is optimal up to rounding and the solver's accuracy: `contains` tells
        how far it is off, about 1e-14, up to 1e-9 where probabilities span many orders of magnitude.
        """
        return best_member(self.nearest, loss, prior, properties)

    def vertices(self, limit: int, rng: np.random.Generator | None = None) -> Iterator[Explicit]:
        """Yield different vertices, at most `limit`, in random directions; see `optimal_set.members.vertices`.

        Args:
            limit: the most vertices, an integer >= 0.
            rng: `numpy.random.default_rng(0)` by default, so that the same call gives the same members.
        """
        return vertices(self.nearest, limit, _generator(rng))

    def sample(self, rng: np.random.Generator | None = None) -> Explicit:
        """Return a random mixture of random vertices, private and optimal as these are. `rng` is that of `vertices`."""
        return sampled(self.nearest, _generator(rng))

    def rank(self, rng: np.random.Generator | None = None) -> RankFinding:
        """Return whether every member has full rank: a proof, a singular member, or neither. `rng` is that of
        `vertices`."""
        return rank_search(self.nearest, _generator(rng))


def _generator(rng: np.random.Generator | None) -> np.random.Generator:
    return np.random.default_rng(0) if rng is None else generator(rng, "rng")
