"""What `hushcount medium` prints for people."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from hushcount.medium import AppliedStatement, Behind, Bound, Losslessness, MediumOptimum, Threshold, Verdict
from hushcount.medium.thresholds import LARGEST_SNR, LEAST_SNR, RESOLUTION_DB
from hushcount.numbers.text import upper_text
from hushcount.words.paragraphs import wrapped
from hushcount.words.printable import printable

__all__ = ["medium_lines", "threshold_lines"]

_BOUNDS = {
    "l": "lower: the medium alone",
    "u0": "upper: canonical optimum P*",
    "u1": "upper: P* T^-1, in part",
    "u2": "upper: P* and a direction",
    "u3": "upper: P* and best inputs",
    "u4": "upper: best circulant",
    "u5": "upper: best mixture",
}
"""The names of `bounds`, in at most 28 characters."""

_LEAST_SHOWN = 1e-300
"""Below this, a float says little."""


def medium_lines(behind: Behind, best: MediumOptimum, save: str | None) -> Iterator[str]:
    """Yield the promise, verdict, bounds and optimum, their remarks, and where the mechanism was saved.

    The head states what is promised. For a measured medium that is what holds behind the true one; whatever concerns
    only the observed frequencies says so.
    """
    made, privacy, true, verdict = behind.medium, behind.privacy, best.true_medium, behind.losslessness
    asked = privacy.in_words()
    observed = "" if true is None else ", as observed"
    yield f"Medium      {printable(made.description)}"
    yield f"Symbols     {made.order}, received wrong with chance {made.error_probability:.6g}, worst case{observed}"
    if true is None:
        yield f"Promise     {asked}, of what arrives"
        yield f"Verdict     {_verdict(verdict)}"
    else:
        yield f"Promise     {true.promise()}"
        yield f"Wrong       there with chance at most {upper_text(Fraction(true.error_probability))}"
        yield f"Asked       {asked}: kept behind the observed frequencies alone"
        yield f"Verdict     of the observed frequencies alone: {_verdict(verdict)}"
    if verdict.statements and verdict.statements[-1].name == verdict.decided_by:
        yield f"Because     {_comparison(verdict.statements[-1])}"
    yield ""
    yield f"Worst-case chance that what arrives is wrong{observed}"
    yield f"  without the medium, least       {_figure(behind.without.upper)}"
    yield f"  behind it, least (proved)       {_between(best.lower, best.upper)}"
    yield from (f"  {bound.name:<4}{_BOUNDS[bound.name]:<28}{_value(bound)}" for bound in behind.bounds)
    yield f"Expected |error| of what arrives, worst   {best.absolute_error:.6g}{observed}"
    if best.least_absolute_error is not None:
        yield f"  with as rare an error, at least         {best.least_absolute_error:.6g}"
    yield ""
    if true is not None:
        yield wrapped(str(true))
        yield ""
    is_open = verdict.verdict is Verdict.UNDECIDED
    yield wrapped(verdict.explanation + (f" Here it is {verdict.gap:.3g}." if is_open else ""))
    if best.stopped:
        yield ""
        yield wrapped(
            f"The linear program was stopped at its limits of steps ({len(best.stopped)} of {len(best.tries)} tries): "
            "the least chance is proved to lie in the interval, which is as wide on any machine."
        )
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


def _verdict(verdict: Losslessness) -> str:
    if verdict.verdict is Verdict.UNDECIDED:
        return "undecided"
    of = "Theorem 2, " if verdict.decided_by.startswith("statement") else ""
    return f"{verdict.verdict.name.lower()}, by {of}{verdict.decided_by}"


def _comparison(statement: AppliedStatement) -> str:
    """Return the comparison with both sides; a threshold of 0 is in the words, and one that is 0 but for rounding
    outward adds nothing."""
    if statement.quantity is None:
        return statement.comparison
    threshold = statement.threshold or 0.0
    against = f" against {threshold:.6g}" if abs(threshold) >= _LEAST_SHOWN else ""
    return f"{statement.comparison} ({statement.quantity:.6g}{against})"


def _value(bound: Bound) -> str:
    return f"- ({bound.condition})" if bound.value is None else _figure(bound.value)


def _figure(chance: float) -> str:
    return f"below {_LEAST_SHOWN}" if 0 < chance < _LEAST_SHOWN else f"{chance:.10g}"


def _between(low: float, high: float) -> str:
    ends = _figure(low), _figure(high)
    return ends[1] if ends[0] == ends[1] else " to ".join(ends)
