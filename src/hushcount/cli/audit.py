"""`hushcount audit`: what a matrix, or a log of releases, really guarantees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from hushcount._version import __version__
from hushcount.cli.answer import Answer
from hushcount.cli.options import Delta, Epsilon, Json, whole
from hushcount.errors import BadData, BadUse, InvalidParameter

if TYPE_CHECKING:
    from hushcount.privacy import Audit, SampleAudit, Witness
    from hushcount.tradeoff import EpsilonDelta

__all__ = ["NOT_PRIVATE", "UNDECIDED", "audit"]

NOT_PRIVATE, UNDECIDED = 1, 5

_LONGEST_EVENT = 26


def audit(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="The matrix, one row per true count, each summing to 1: .csv (numbers and commas, no header), .npy or "
            ".parquet.",
        ),
    ] = None,
    *,
    epsilon: Epsilon,
    delta: Delta = "0",
    samples: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Instead of a matrix, a log of independent releases with two columns of integers, the true count and "
            "what was released for it: .csv (with or without the header true,released), .npy or .parquet.",
        ),
    ] = None,
    distance: Annotated[
        str, typer.Option(metavar="COUNT", help="How far apart the two true counts of each pair are, >= 1.")
    ] = "1",
    as_json: Json = False,
) -> Answer:
    """Tell what a mechanism really guarantees, from its matrix or from a log of releases.

    Judges the claim that it is private at --epsilon and --delta. From a matrix, the answer is rigorous: the least
    delta and the least epsilon, with the pair of true counts and the outcomes that attain them. From a log, a claim
    can be rejected (at 99.9% confidence) but not proven. The figures of the text are rounded to the safe side; JSON
    has both bounds of each, and null for infinity.

    Exit code 0 means private (from a log: not rejected), 1 not private (rejected), 5 undecided.

    Example: hushcount audit matrix.csv --epsilon 1
    """
    from hushcount.tradeoff import EpsilonDelta

    claim = EpsilonDelta.of(epsilon, delta)
    apart = whole(distance, "distance")
    if not apart >= 1:
        raise InvalidParameter("distance", distance, "a whole number >= 1")
    if file is not None and samples is None:
        return _audit_matrix(file, claim, apart, as_json)
    if samples is not None and file is None:
        return _audit_log(samples, claim, apart, as_json)
    raise BadUse("audit takes either the FILE of a matrix or --samples FILE")


def _audit_matrix(file: str, claim: EpsilonDelta, apart: int, as_json: bool) -> Answer:
    from hushcount.privacy import Verdict, read_matrix
    from hushcount.privacy import audit as audited

    matrix = read_matrix(file)
    height, width = matrix.shape
    if apart > max(1, height - 1):  # no pair is so far apart: "private" would be true, and mislead
        raise InvalidParameter("distance", apart, f"less than the number of true counts, {height}")
    found = audited(matrix, epsilon=claim.epsilon, delta=claim.delta, distance=apart)
    assert found.verdict is not None
    code = {Verdict.PRIVATE: 0, Verdict.NOT_PRIVATE: NOT_PRIVATE, Verdict.UNDECIDED: UNDECIDED}[found.verdict]
    shape = {"true_counts": height, "outcomes": width}
    return Answer(_json(file, shape | found.to_dict()) if as_json else _matrix_text(file, height, width, found), code)


def _matrix_text(file: str, height: int, width: int, found: Audit) -> str:
    from hushcount.cli.figures import significant, wrapped

    assert found.verdict is not None
    assert found.least_delta is not None
    epsilon, delta = _claimed(found)
    rows = [("", "really", "at true count", "against", "outcomes")]
    for what, finding in (
        (f"delta at epsilon {epsilon}", found.least_delta),
        (f"epsilon at delta {delta}", found.least_epsilon),
    ):
        rows.append((what, significant(finding.interval), *_places(finding.witness)))
    return "\n".join(
        [
            f"Matrix      {_printable(file)}: {height:,} true counts, {width:,} outcomes",
            *_judged(found, found.verdict.name),
            *_gap(found),
            "",
            *_aligned(rows),
            "",
            wrapped(found.verdict.value),
            "",
        ]
    )


def _audit_log(file: str, claim: EpsilonDelta, apart: int, as_json: bool) -> Answer:
    from hushcount.privacy import SampleVerdict, audit_samples, read_samples

    pairs = read_samples(file)
    try:
        found = audit_samples(pairs, epsilon=claim.epsilon, delta=claim.delta, distance=apart)
    except InvalidParameter:
        raise
    except BadUse as error:  # every option is checked by now: it is the log that does not do
        raise BadData(f"{file}: {error}") from None
    code = NOT_PRIVATE if found.verdict is SampleVerdict.REJECTED else 0
    return Answer(_json(file, found.to_dict()) if as_json else _log_text(file, found), code)


def _log_text(file: str, found: SampleAudit) -> str:
    from decimal import ROUND_FLOOR

    from hushcount.cli.figures import rounded, wrapped

    assert found.verdict is not None
    _, delta = _claimed(found)
    rows = [
        ("", "really", "at true count", "against", "outcomes"),
        (
            f"epsilon at delta {delta}",
            f"at least {rounded(found.epsilon_at_least, ROUND_FLOOR)}",
            *_places(found.witness),
        ),
    ]
    return "\n".join(
        [
            f"Log         {_printable(file)}: {found.draws:,} releases, {found.pairs:,} ordered pairs of true counts",
            *_judged(found, found.verdict.name),
            f"Confidence  {float(100 * found.confidence):g}%",
            "",
            *_aligned(rows),
            "",
            wrapped(found.verdict.value),
            "",
        ]
    )


def _claimed(found: Audit | SampleAudit) -> tuple[str, str]:
    from hushcount.exact import exact_text
    from hushcount.release.explanation import short

    assert found.epsilon is not None
    return short(exact_text(found.epsilon)), short(exact_text(found.delta))


def _judged(found: Audit | SampleAudit, verdict: str) -> list[str]:
    epsilon, delta = _claimed(found)
    return [
        f"Claim       epsilon {epsilon}, delta {delta}, between true counts {found.distance:,} apart",
        f"Verdict     {verdict.lower().replace('_', ' ')}",
    ]


def _gap(found: Audit) -> list[str]:
    """By how much a claim fails, which the table cannot show where it is of rounding size."""
    if found.gap is None or not found.gap[1] > 0:
        return []
    low, high = (float(end) for end in found.gap)
    return [
        f"Gap         delta exceeded by {high:.2g}" if low > 0 else f"Gap         delta exceeded by at most {high:.2g}"
    ]


def _places(witness: Witness | None) -> tuple[str, str, str]:
    if witness is None:
        return "-", "-", "none exceeds"
    spans = [str(first) if first == last else f"{first}..{last}" for first, last in witness.outcomes]
    shown = ", ".join(spans)
    while len(shown) > _LONGEST_EVENT:
        spans.pop()
        shown = ", ".join([*spans, "..."])
    return str(witness.true), str(witness.other), shown


def _aligned(rows: list[tuple[str, str, str, str, str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(row[1:4], widths[1:4], strict=True)),
                row[4],
            ]
        ).rstrip()
        for row in rows
    ]


def _json(file: str, found: dict[str, object]) -> str:
    answer = {"file": file, **found, "hushcount_version": __version__}
    return json.dumps(answer, indent=2, allow_nan=False) + "\n"


def _printable(text: str) -> str:
    from hushcount.release.explanation import printable

    return printable(text)
