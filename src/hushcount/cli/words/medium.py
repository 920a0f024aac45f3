"""What `hushcount medium` prints for people, put together from the results that print themselves."""

from __future__ import annotations

from collections.abc import Iterator

from hushcount.medium import Behind, MediumOptimum, SearchedLabels, Threshold
from hushcount.medium.thresholds import LARGEST_SNR, LEAST_SNR, RESOLUTION_DB
from hushcount.medium.words import figure
from hushcount.words.paragraphs import wrapped
from hushcount.words.printable import printable

__all__ = ["medium_lines", "threshold_lines"]


def medium_lines(
    behind: Behind, best: MediumOptimum, searched: SearchedLabels | None, save: str | None
) -> Iterator[str]:
    """Yield the promise, verdict, bounds and optimum, their remarks, and where the mechanism was saved.

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
    for remark in (*best.of_true_medium(), verdict.remark(), *best.where_left_open()):
        yield ""
        yield remark
    if save is not None:
        yield ""
        yield wrapped(
            f"Saved to {printable(save)}. It is to be used in front of the medium: what arrives is private as "
            "promised, the mechanism alone need not be."
        )


def threshold_lines(found: Threshold) -> Iterator[str]:
    """Yield what is proved on either side of a required SNR. Both are multiples of 1e-4 dB."""
    lossless, lossy = found.lossless_at, found.lossy_at
    if lossless is None:
        known = "it could not be decided whether the medium costs" if lossy is None else "the medium costs"
        yield f"Even at Es/N0 = {float(LARGEST_SNR):g} dB, the largest that is looked at, {known} something."
        return
    if lossless == LEAST_SNR:
        yield f"Already at Es/N0 = {float(lossless):g} dB, the least that is looked at, the medium costs nothing."
    else:
        yield f"At Es/N0 = {float(lossless):.4f} dB the medium costs nothing: a better channel gains nothing."
        if lossy is None:
            yield "That it costs something at a lower one could not be proved."
        else:
            yield f"At {float(lossy):.4f} dB it costs something."
            if lossless - lossy > RESOLUTION_DB:
                yield "In between it could not be decided."
    yield "Nothing is proved of other SNRs."
