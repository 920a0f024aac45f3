"""The best labels of a medium that swaps of two of them lead to.

Naming symbols anew changes only what is read: where T becomes D T D' with a permutation D, the mechanism G D' makes
G T D' arrive, which is private if G T is. So labels cost no privacy; they decide which entry of a row of G T counts as
right, and with it p_e*(T). There are M! labelings, and nothing short of the optimum itself tells them apart: for 16-QAM
the mean of [P T]_ii with P the canonical or the nearest optimum, and sum_ij |j - i| T_ij, rank swaps too poorly to lead
anywhere from the snake (rank correlations of .1 to .8, no gain at seven points), while swaps judged by p_e*(T) gain up
to .01.

Pairs are tried in a fixed order, near counts first, round after round. A swap is kept if it is proved to gain more than
1e-6, far more than machines differ by in rounding: the search is the same on all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations, cycle, islice
from typing import Any

from numpy.typing import ArrayLike

from hushcount.errors import BadUse, TooLarge
from hushcount.inputs.arguments import integer, listed
from hushcount.medium.certified.medium_optimum import MediumOptimum
from hushcount.medium.certified.optimum import LARGEST_OPTIMIZED, Certified
from hushcount.medium.channels.given import as_medium
from hushcount.medium.channels.measured import MeasuredMedium
from hushcount.medium.medium import Medium
from hushcount.numbers.exact import Number
from hushcount.words.counted import counted

__all__ = ["SWAPS", "SearchedLabels", "searched_labels"]

SWAPS = 200
"""How many swaps are tried by default: all 120 of 16 symbols, and most of what follows from a gain."""

_GAIN = 1e-6
"""What a swap must gain."""


@dataclass(frozen=True, eq=False)
class SearchedLabels:
    """The best labels found, and how they were found.

    Attributes:
        labels: count k is sent as symbol `labels[k]` of the medium that was searched.
        optimum: p_e*(T) with these labels, and a mechanism; `optimum.medium` is the medium so labeled.
        swaps: how many swaps were tried.
        is_settled: whether no swap of two labels gains more than 1e-6. This does not make them the best of all labels.
        is_best: whether they are proved to be within 1e-6 of the best of all labels.
    """

    labels: tuple[int, ...]
    optimum: MediumOptimum = field(repr=False)
    swaps: int
    is_settled: bool
    is_best: bool

    @property
    def medium(self) -> Medium:
        """The medium with these labels."""
        return self.optimum.medium

    @property
    def explanation(self) -> str:
        """What was searched, in a few words."""
        proved = f"proved best within {_GAIN:g}" if self.is_best else "not proved best"
        return f"the best labels found by trying {counted(self.swaps, 'swap')}, {proved}"

    def __str__(self) -> str:
        return f"{' '.join(map(str, self.labels))}: {self.explanation}"

    def to_dict(self) -> dict[str, Any]:
        """Return the labels, ready for JSON."""
        return {
            "labels": list(self.labels),
            "swaps": self.swaps,
            "is_settled": self.is_settled,
            "is_best": self.is_best,
            "explanation": self.explanation,
        }


def searched_labels(
    medium: Medium | ArrayLike,
    epsilon: Number,
    delta: Number = 0,
    *,
    swaps: int = SWAPS,
    labels: Iterable[int] | None = None,
) -> SearchedLabels:
    """Return the labels with the least p_e*(T) found by swapping two at a time; see the module.

    The search ends after so many swaps, or when no swap gains more than 1e-6, or when no labels can, since p_e*(T) is
    as close to p_e* or l(T), which labels do not change. Each swap takes one `optimum`: 10 ms for 16 symbols, seconds
    for 64.

    Args:
        medium: a medium, or its matrix (`from_matrix`), of up to 256 symbols.
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.
        swaps: the most swaps to try, >= 0.
        labels: those to start from, a permutation of 0..n, such as `snake_labels(order)` for QAM in row-major order;
            the medium as it is by default.

    Raises:
        InvalidParameter: a bad argument, naming it.
        BadUse: a medium known from trials: rows and columns of their table are to be named anew instead.
        TooLarge: more than 256 symbols.
    """
    T, most = as_medium(medium), integer(swaps, "swaps", least=0)
    if isinstance(T, MeasuredMedium):
        raise BadUse("labels are not searched for observed frequencies: name rows and columns of their table anew")
    if not T.order <= LARGEST_OPTIMIZED:
        raise TooLarge(f"labels are searched for up to {LARGEST_OPTIMIZED} symbols (got {T.order:,})")
    best_labels = list(range(T.order)) if labels is None else listed(labels, "labels", f"a permutation of 0..{T.n}")
    at = Certified.of(T.relabelled(best_labels), epsilon, delta)
    best, least = at.optimum, max(at.without.lower, at.l.value or 0.0)
    pairs = sorted(combinations(range(T.order), 2), key=lambda pair: (pair[1] - pair[0], pair))
    tried = vain = 0
    for i, j in islice(cycle(pairs), most):
        if vain == len(pairs) or best.upper - least <= _GAIN:
            break
        swapped = best_labels.copy()
        swapped[i], swapped[j] = best_labels[j], best_labels[i]
        found = Certified(T.relabelled(swapped), at.privacy).optimum
        tried, vain = tried + 1, vain + 1
        if found.upper < best.lower - _GAIN:
            best, best_labels, vain = found, swapped, 0
    is_best = best.upper - least <= _GAIN
    result = SearchedLabels(tuple(map(int, best_labels)), best, tried, vain == len(pairs), is_best)
    named = replace(best.medium, description=f"{T.description}, relabelled: {result.explanation}")
    return replace(result, optimum=replace(best, medium=named))
