"""Reading many released counts: their true sum, the histogram of the true counts, and a confidence set for each.

The draws are independent, so errors without bias average out. With N releases, r(j) of which came out as j, r P^-1 is
on average the histogram of the true counts, and the sum of the unbiased estimates is on average their sum.
No data is read and no budget is spent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hushcount.errors import BadUse, InvalidParameter, type_of
from hushcount.inputs.arguments import listed
from hushcount.mechanisms import Mechanism
from hushcount.numbers.exact import Number
from hushcount.reading.cells import CellSets, cell_sets
from hushcount.reading.confidence import checked_level
from hushcount.reading.inverse import NoInverse
from hushcount.reading.law import check_possible, law_of, laws_of, stated
from hushcount.reading.publication import Publication
from hushcount.reading.table import Histogram, TableInterpretation, common_facts
from hushcount.reading.unbiased import Estimate, Estimator, estimator, released_errors
from hushcount.release.receipt import Receipt
from hushcount.release.table.receipt import TableReceipt

__all__ = ["interpret_table"]

Progress = Callable[[float], None]


def interpret_table(
    receipts: Iterable[Receipt] | TableReceipt,
    *,
    level: Number | None = None,
    simultaneous: bool = False,
    publication: Publication | None = None,
    mechanism: Mechanism | None = None,
    progress: Progress | None = None,
) -> TableInterpretation:
    """Read the released counts of a table; this costs no budget and needs no data.

    For each different maximum, the sum and the histogram take O(n log n) for `canonical`, O(n) for `nearest` with delta
    0, and O(n^3) for others. Confidence sets take one computation, as in `interpret`, for each different pair of a
    maximum and a released count.

    Args:
        receipts: the receipt of a table; or one or more receipts of single counts, of different releases with the same
            mechanism, maximum, epsilon, delta and adjacency.
        level: the level of a confidence set for each cell (or single count), > 0 and < 1, kept exactly; None for no
            sets.
        simultaneous: whether `level` is the chance that all sets contain their true counts; otherwise each does with
            that chance.
        publication: rules for what is shown of the cells (small counts left out, wide sets marked, counts rounded),
            which take a level.
        mechanism: as for `interpret`.
        progress: called from time to time with the part that is done, from 0 to 1.

    Raises:
        InvalidParameter: no receipts, a bad level, or a mechanism that is missing or not the one of the receipts.
        BadUse: receipts of different kinds, naming the difference, or the same release twice; `simultaneous` or
            `publication` without a level; `simultaneous` for groups from the data.
        BadData: a receipt was changed since the release.
        TooLarge: as for `interpret`.
    """
    wanted = None if level is None else checked_level(level)
    if simultaneous and wanted is None:
        raise BadUse("simultaneous is about confidence sets, which take a level")
    if publication is not None and wanted is None:
        raise BadUse("publication is about cells and their confidence sets, which take a level")
    if isinstance(receipts, TableReceipt):
        given: tuple[Receipt | TableReceipt, ...] = (receipts,)
        released: Sequence[int] = receipts.released
        laws, maxima = laws_of(receipts, mechanism), receipts.tops
    else:
        single, law = _singles(receipts, mechanism)
        given = tuple(single)
        released = [receipt.released for receipt in single]
        laws, maxima = {law.n: law}, [law.n] * len(released)
    is_found = isinstance(receipts, TableReceipt) and receipts.keys_from is not None
    is_one = isinstance(receipts, TableReceipt) and receipts.public_total is not None
    cells = None
    if wanted is not None:
        part = None if progress is None else _part(progress, 0.0)
        cells = cell_sets(laws, released, maxima, wanted, simultaneous, part, one_draw=is_one, if_shown=is_found)
    rest = progress if progress is None or cells is None else _part(progress, 0.5)
    if is_found:
        found = _of_shown(given, laws, released, cells)
    elif is_one:
        found = _of_one_count(given, next(iter(laws.values())), released, cells)
    else:
        found = _together(given, laws, released, maxima, cells, rest)
    return replace(found, publication=publication)


def _part(progress: Progress, start: float) -> Progress:
    """Return a progress for half of the work, from `start`."""
    return lambda done: progress(start + done / 2)


def _singles(receipts: Iterable[Receipt], mechanism: Mechanism | None) -> tuple[list[Receipt], Mechanism]:
    given = listed(receipts, "receipts", "one or more receipts")
    if not given:
        raise InvalidParameter("receipts", None, "one or more receipts")
    law = law_of(given[0], mechanism)
    _check_alike(given)
    for receipt in given[1:]:
        check_possible(law, receipt.released)
        if stated(receipt) != stated(given[0]):
            law_of(receipt, mechanism)
    return given, law


def _of_shown(
    receipts: tuple[Receipt | TableReceipt, ...],
    laws: Mapping[int, Mechanism],
    released: Sequence[int],
    cells: CellSets | None,
) -> TableInterpretation:
    """Return what is said of groups from the data, of which only the shown ones are known."""
    return TableInterpretation(
        receipts=receipts,
        mechanism=next(iter(laws.values())),
        releases=len(released),
        released_sum=sum(released),
        released_bias=None,
        released_error=None,
        total=NoInverse.HIDDEN,
        histogram=None,
        cells=cells,
    )


def _of_one_count(
    receipts: tuple[Receipt | TableReceipt, ...], law: Mechanism, released: Sequence[int], cells: CellSets | None
) -> TableInterpretation:
    """Return what one draw j says of two cells with true counts i and n - i: their sum is n, and their difference
    2 i - n has the estimate 2 t(j) - n."""
    n, found = law.n, estimator(law)
    difference: Estimate | NoInverse
    if isinstance(found, NoInverse):
        difference, histogram = found, None
    else:
        histogram = _histogram_of_two(found, released[0])
        difference = Estimate(2 * float(found.values[released[0]]) - n, 2 * found.standard_error)
    return TableInterpretation(
        receipts=receipts,
        mechanism=law,
        releases=len(released),
        released_sum=n,
        released_bias=0.0,
        released_error=0.0,
        total=Estimate(float(n), 0.0),
        histogram=histogram,
        difference=difference,
        cells=cells,
    )


def _together(
    receipts: tuple[Receipt | TableReceipt, ...],
    laws: Mapping[int, Mechanism],
    released: Sequence[int],
    maxima: Sequence[int],
    cells: CellSets | None,
    progress: Progress | None,
) -> TableInterpretation:
    """Return what independent draws say together, given their laws by maximum, in ascending order."""
    groups: dict[int, list[int]] = {top: [] for top in laws}
    for top, count in zip(maxima, released, strict=True):
        groups[top].append(count)
    bias = variance = value = squared = 0.0
    missing: NoInverse | None = None
    histogram = None
    done, work = 0, sum(top + 1 for top in laws)
    for top, law in laws.items():
        N, found = len(groups[top]), estimator(law)
        most_bias, error = released_errors(law)
        bias, variance = bias + N * most_bias, variance + N * error**2
        if isinstance(found, NoInverse):
            missing = missing or found
        else:
            value += math.fsum(found.values[groups[top]])
            squared += N * found.standard_error**2
            if len(laws) == 1:
                histogram = _histogram(found, groups[top])
        done += top + 1
        if progress is not None:
            progress(done / work)
    return TableInterpretation(
        receipts=receipts,
        mechanism=law,
        releases=len(released),
        released_sum=sum(released),
        released_bias=bias,
        released_error=math.sqrt(variance),
        total=missing or Estimate(value, math.sqrt(squared)),
        histogram=histogram,
        cells=cells,
    )


def _histogram(found: Estimator, released: list[int]) -> Histogram:
    """Estimate h = r Q, and the variance of h(l).

    sum_j r(j) Q(j, l)^2 - h(l) estimates it without bias: a release of the true count i adds sum_j p(i, j) Q(j, l)^2 -
    [i = l] to it.
    """
    counts = np.bincount(released, minlength=len(found.values)).astype(np.float64)
    values = found.inverse.transposed(counts)
    variances = found.inverse.squares(counts) - values
    largest = math.sqrt(len(released)) * found.histogram_error
    return Histogram(values, np.sqrt(np.maximum(variances, 0.0)), largest)


def _histogram_of_two(found: Estimator, released: int) -> Histogram:
    """Estimate h(l) = [i = l] + [i = n - l] by Q(j, l) + Q(j, n - l), and its variance.

    h(l)^2 is h(l), and in the middle of the range, where l = n - l, 2 h(l). So the square of the estimate minus that
    estimates the variance without bias. The standard error is at most the sum of those of both terms.
    """
    counts = np.bincount([released], minlength=len(found.values)).astype(np.float64)
    row = found.inverse.transposed(counts)
    values = row + row[::-1]
    places = np.arange(len(values))
    variances = values**2 - np.where(places == places[::-1], 2.0, 1.0) * values
    return Histogram(values, np.sqrt(np.maximum(variances, 0.0)), 2 * found.histogram_error)


def _check_alike(receipts: list[Receipt]) -> None:
    first, seen = receipts[0], set()
    common = common_facts(first)
    for number, receipt in enumerate(receipts):
        if not isinstance(receipt, Receipt):
            raise InvalidParameter("receipts", type_of(receipt), "receipts; Receipt.from_json reads one")
        other = common_facts(receipt)
        for name, one in common.items():
            if one != other.get(name):
                raise BadUse(
                    f"the releases of a table must be alike, but {name} is {one} in the first receipt and "
                    f"{other.get(name)} in receipt {number + 1}"
                )
        if receipt.audit != first.audit:
            raise BadUse(
                f"the releases of a table must be alike, but receipt {number + 1} names another audited mechanism than "
                "the first"
            )
        if receipt.receipt_id in seen:
            raise BadUse(f"receipt {number + 1} is of a release that is there already ({receipt.receipt_id})")
        seen.add(receipt.receipt_id)
