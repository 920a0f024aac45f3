"""What `hushcount medium` prints for people, put together from the results that print themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from hushcount.medium import Behind, Heard, MediumOptimum, SearchedLabels, Threshold
from hushcount.medium.channels.link import decibels_text, per_bit_db
from hushcount.medium.thresholds import LARGEST_SNR, LEAST_SNR, RESOLUTION_DB
from hushcount.medium.words import figure
from hushcount.numbers.text import short, typed
from hushcount.words.paragraphs import wrapped
from hushcount.words.printable import printable
from hushcount.words.tables import aligned

__all__ = ["heard_lines", "medium_lines", "threshold_lines", "threshold_of_p_lines"]


def medium_lines(
    behind: Behind, best: MediumOptimum, searched: SearchedLabels | None, heard: Sequence[Heard], save: str | None
) -> Iterator[str]:
    """Yield the promise, verdict, bounds and optimum, their remarks, what is left where it is heard otherwise, and
    where the mechanism was saved.

    The head states what is promised. For a measured medium that is what holds behind the true one; whatever concerns
    only the observed frequencies says so.
    """
    verdict, table = behind.losslessness, str(behind.bounds).splitlines()
    yield from best.head()
    if searched is not None:
        yield f"Labels      {' '.join(map(str, searched.labels))}"
    yield from verdict.lines()
    yield ""
    yield table[0]
    yield f"  without the medium, least       {figure(behind.without.upper)}"
    yield best.least()
    yield from table[1:]
    yield from best.absolute()
    for remark in (*best.of_true_medium(), verdict.remark(), *best.where_left_open(), *best.protects()):
        yield ""
        yield remark
    if heard:
        yield ""
        yield from heard_lines(heard)
    if save is not None:
        yield ""
        yield wrapped(
            f"Saved to {printable(save)}. It is to be used in front of the medium: what arrives is private as "
            "promised, the mechanism alone need not be."
        )


def heard_lines(heard: Sequence[Heard]) -> Iterator[str]:
    """Yield a table of the epsilon that is kept, a row for each medium and a column for each number of readings."""
    rows = [(medium, [*found]) for medium, found in groupby(heard, key=lambda each: each.medium)]
    often = [each.often for each in rows[0][1]]
    cells = [(printable(medium), *(each.epsilon.to_text() for each in found)) for medium, found in rows]
    yield f"Epsilon kept at delta {short(heard[0].delta)} where the same symbol is heard, rounded up"
    for line in aligned([("through", *often), *cells], to_right=range(1, len(often) + 1)):
        yield f"  {line}"


def threshold_of_p_lines(found: Threshold) -> Iterator[str]:
    """Yield what is proved on either side of an error probability. Both are short decimals, or ratios."""
    lossless, lossy = found.lossless_at, found.lossy_at
    if lossless is None:
        known = "it could not be decided whether the medium costs" if lossy is None else "the medium costs"
        yield f"Even at p = 0 {known} something."
        return
    yield f"At p = {typed(lossless)} the medium costs nothing: a better channel gains nothing."
    yield (
        "That it costs something at a larger one could not be proved."
        if lossy is None
        else f"At p = {typed(lossy)} it costs something."
    )
    yield "Nothing is proved of other p."


def threshold_lines(found: Threshold, order: int) -> Iterator[str]:
    """Yield what is proved on either side of a required SNR. Both are multiples of 1e-4 dB of Es/N0, and are told in
    Eb/N0 as well, for so many symbols."""

    def per_bit(decibels: float) -> str:
        return f"Eb/N0 = {decibels_text(per_bit_db(decibels, order))}"

    lossless, lossy = found.lossless_at, found.lossy_at
    if lossless is None:
        known = "it could not be decided whether the medium costs" if lossy is None else "the medium costs"
        yield f"Even at Es/N0 = {float(LARGEST_SNR):g} dB, the largest that is looked at, {known} something."
        return
    if lossless == LEAST_SNR:
        yield f"Already at Es/N0 = {float(lossless):g} dB, the least that is looked at, the medium costs nothing."
    else:
        at = f"Es/N0 = {float(lossless):.4f} dB ({per_bit(float(lossless))})"
        yield f"At {at} the medium costs nothing: a better channel gains nothing."
        if lossy is None:
            yield "That it costs something at a lower one could not be proved."
        else:
            yield f"At {float(lossy):.4f} dB ({per_bit(float(lossy))}) it costs something."
            if lossless - lossy > RESOLUTION_DB:
                yield "In between it could not be decided."
    yield "Nothing is proved of other SNRs."
