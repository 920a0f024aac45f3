"""Released counts that are made to add up to a public total, by the least change: after the release, without cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer, listed

__all__ = ["round_trip"]

_LARGEST_SUM = 2**62


def round_trip(released: Iterable[int], total: int, maximum: int | Iterable[int]) -> list[int]:
    """Return the whole numbers x with sum `total`, 0 <= x(c) <= maximum(c), and the least sum of (x(c) -
    released(c))^2.

    It reads only what was released and what is public, so it costs no privacy. The result adds up, but the laws of the
    single counts no longer hold for it: their chances of being wrong, the confidence sets and the unbiased estimates
    are about the released counts.

    Of several best answers it is the one that raises cells in their order. It is exact, in O(cells log range).

    *Why it is the best.* Start from x = 0 and raise one cell by one, again and again, `total` times. To raise x(c) from
    v to v + 1 adds 2 (v - released(c)) + 1 to the sum of squares. For each cell these costs increase with v, so the
    cheapest `total` raises of all make up a choice that can be carried out, and no choice of `total` raises costs less.
    They are all those with v - released(c) < t, and of those with v - released(c) = t the first in the order of the
    cells, where t is the number at which they are `total`: x(c) = released(c) + t, moved into 0..maximum(c), and one
    more for the first cells that are below their maximum and not above released(c) + t.

    Args:
        released: counts from 0 to their maxima.
        total: what they are to add up to, an integer >= 0.
        maximum: the largest count, one for all cells or one for each.

    Raises:
        InvalidParameter: a count is outside its range, or `total` is more than all maxima together.
    """
    if hasattr(released, "released"):
        raise InvalidParameter("released", None, "the counts of a receipt, receipt.released, not the receipt itself")
    counts = [integer(count, "released", least=0) for count in listed(released, "released", "released counts")]
    wanted = integer(total, "total", least=0)
    tops = _tops(maximum, len(counts))
    if not all(count <= top for count, top in zip(counts, tops, strict=True)):
        raise InvalidParameter("released", None, "counts from 0 to their maxima")
    if not wanted <= sum(tops):
        raise InvalidParameter("total", total, f"at most {sum(tops)}, the sum of the largest counts of all cells")
    if not counts:
        return []
    # Sums of Python's integers where those of the processor could overflow
    kind: Any = np.int64 if 4 * sum(tops) < _LARGEST_SUM else object
    r, m = np.array(counts, dtype=kind), np.array(tops, dtype=kind)

    def moved(t: int) -> Any:
        return np.minimum(np.maximum(r + t, 0), m)

    low, high = -max(counts), max(tops) + 1  # moved(low) adds up to 0, and moved(high) to the most there can be
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if int(moved(middle).sum()) <= wanted else (low, middle)
    answer = moved(low)
    missing = wanted - int(answer.sum())
    raisable = np.flatnonzero(moved(low + 1) > answer)
    answer[raisable[:missing]] += 1
    return [int(count) for count in answer]


def _tops(maximum: int | Iterable[int], cells: int) -> Sequence[int]:
    if not isinstance(maximum, Iterable):
        return [integer(maximum, "maximum", least=0)] * cells
    tops = [integer(top, "maximum", least=0) for top in listed(maximum, "maximum", "one count, or one for each cell")]
    if len(tops) != cells:
        raise InvalidParameter("maximum", None, f"one count, or one for each of the {cells} cells")
    return tops
