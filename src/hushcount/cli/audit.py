"""`hushcount audit`: what a matrix, or a log of releases, really guarantees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from hushcount._version import __version__
from hushcount.cli.answer import Answer
from hushcount.cli.options import Delta, Json, whole
from hushcount.errors import BadData, BadUse, InvalidParameter

if TYPE_CHECKING:
    from fractions import Fraction

    from hushcount.privacy import Audit, Finding, ProfilePoint, SampleAudit, Witness

__all__ = ["NOT_PRIVATE", "UNDECIDED", "audit"]

NOT_PRIVATE, UNDECIDED = 1, 5

_LONGEST_EVENT = 26
_HEAD = ("", "really", "at true count", "against", "outcomes")
_NO_CLAIM = "No claim was made, so none is judged; --epsilon makes one."


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
    epsilon: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="The epsilon that is claimed, >= 0. A decimal (0.5, 1e-3) or a ratio (1/3), taken exactly.",
            show_default="no claim",
        ),
    ] = None,
    delta: Delta = "0",
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER,...",
            help="Of a matrix, also tell the least delta at each of these epsilons, the privacy profile.",
        ),
    ] = None,
    samples: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Instead of a matrix, a log of independent releases with two columns of integers, the true count and "
            "what was released for it (where columns have names: true and released): .csv, .npy or .parquet.",
        ),
    ] = None,
    distance: Annotated[
        str, typer.Option(metavar="COUNT", help="How far apart the two true counts of each pair are, >= 1.")
    ] = "1",
    as_json: Json = False,
) -> Answer:
    """Tell what a mechanism really guarantees, from its matrix or from a log of releases.

    From a matrix, the answer is rigorous: the least epsilon at --delta and the least delta at --epsilon, with the pair
    of true counts and the outcomes that attain them. From a log it is a lower bound on epsilon, at 99.9% confidence.
    The figures of the text are rounded to the safe side; JSON has both bounds of each, and null for infinity.

    With --epsilon, judges the claim that the mechanism is private at --epsilon and --delta: exit code 0 means private
    (from a log: not rejected, for a log cannot prove it), 1 not private (rejected), 5 undecided.

    Example: hushcount audit matrix.csv --epsilon 1
    """
    from hushcount.privacy.audit import checked_epsilon
    from hushcount.tradeoff import EpsilonDelta

    EpsilonDelta.of("0" if epsilon is None else epsilon, delta)  # before any file is read
    points = None if profile is None else [checked_epsilon(text, "profile") for text in profile.split(",")]
    apart = whole(distance, "distance")
    if not apart >= 1:
        raise InvalidParameter("distance", distance, "a whole number >= 1")
    if file is not None and samples is None:
        return _audit_matrix(file, epsilon, delta, points, apart, as_json)
    if samples is not None and file is None:
        if points is not None:
            raise BadUse("--profile is for a matrix; a log gives a lower bound on one epsilon")
        return _audit_log(samples, epsilon, delta, apart, as_json)
    raise BadUse("audit takes either the FILE of a matrix or --samples FILE")


def _audit_matrix(
    file: str, epsilon: str | None, delta: str, points: list[Fraction] | None, apart: int, as_json: bool
) -> Answer:
    from hushcount.privacy import Verdict, read_matrix
    from hushcount.privacy import audit as audited

    matrix = read_matrix(file)
    height, width = matrix.shape
    if apart > max(1, height - 1):  # no pair is so far apart: "private" would be true, and mislead
        raise InvalidParameter("distance", apart, f"less than the number of true counts, {height}")
    found = audited(matrix, epsilon=epsilon, delta=delta, distance=apart)
    curve = None if points is None else found.profile(points)
    codes = {None: 0, Verdict.PRIVATE: 0, Verdict.NOT_PRIVATE: NOT_PRIVATE, Verdict.UNDECIDED: UNDECIDED}
    code = codes[found.verdict]
    if not as_json:
        return Answer(_matrix_text(file, height, width, found, curve or ()), code)
    answer = {"true_counts": height, "outcomes": width, **found.to_dict()}
    return Answer(_json(file, answer | {"profile": None if curve is None else [p.to_dict() for p in curve]}), code)


def _matrix_text(file: str, height: int, width: int, found: Audit, curve: tuple[ProfilePoint, ...]) -> str:
    from hushcount.privacy import ProfilePoint

    claimed = []
    if found.epsilon is not None and found.least_delta is not None:
        claimed = [ProfilePoint(found.epsilon, found.least_delta)]
    least_epsilon = _row(f"epsilon at delta {_number(found.delta)}", found.least_epsilon)
    one_count = ["Pairs       none: there is only one true count, so nothing can be told apart"]
    return "\n".join(
        [
            f"Matrix      {_printable(file)}: {_counted(height, 'true count')}, {_counted(width, 'outcome')}",
            *_judged(found),
            *_gap(found),
            *([] if found.pairs else one_count),
            "",
            *_aligned([_HEAD, *map(_delta_row, claimed), least_epsilon, *map(_delta_row, curve)]),
            "",
            _explained(found),
            "",
        ]
    )


def _delta_row(point: ProfilePoint) -> tuple[str, ...]:
    return _row(f"delta at epsilon {_number(point.epsilon)}", point.least_delta)


def _row(what: str, finding: Finding) -> tuple[str, ...]:
    from hushcount.cli.figures import significant

    return what, significant(finding.interval), *_places(finding.witness)


def _audit_log(file: str, epsilon: str | None, delta: str, apart: int, as_json: bool) -> Answer:
    from hushcount.privacy import SampleVerdict, audit_samples, read_samples

    pairs = read_samples(file)
    try:
        found = audit_samples(pairs, epsilon=epsilon, delta=delta, distance=apart)
    except InvalidParameter:
        raise
    except BadUse as error:  # every option is checked by now: it is the log that does not do
        raise BadData(f"{file}: {error}") from None
    code = NOT_PRIVATE if found.verdict is SampleVerdict.REJECTED else 0
    return Answer(_json(file, found.to_dict()) if as_json else _log_text(file, found), code)


def _log_text(file: str, found: SampleAudit) -> str:
    from decimal import ROUND_FLOOR

    from hushcount.cli.figures import rounded

    bound = f"at least {rounded(found.epsilon_at_least, ROUND_FLOOR)}"
    return "\n".join(
        [
            f"Log         {_printable(file)}: {found.draws:,} releases, {found.pairs:,} ordered pairs of true counts",
            *_judged(found),
            f"Confidence  {float(100 * found.confidence):g}%",
            "",
            *_aligned([_HEAD, (f"epsilon at delta {_number(found.delta)}", bound, *_places(found.witness))]),
            "",
            _explained(found),
            "",
        ]
    )


def _judged(found: Audit | SampleAudit) -> list[str]:
    between = f"between true counts {found.distance:,} apart"
    if found.epsilon is None or found.verdict is None:
        return [f"Claim       nothing claimed, {between}"]
    return [
        f"Claim       epsilon {_number(found.epsilon)}, delta {_number(found.delta)}, {between}",
        f"Verdict     {found.verdict.name.lower().replace('_', ' ')}",
    ]


def _explained(found: Audit | SampleAudit) -> str:
    from hushcount.cli.figures import wrapped

    return wrapped(_NO_CLAIM if found.verdict is None else found.verdict.value)


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


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
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


def _number(number: Fraction) -> str:
    from hushcount.exact import exact_text
    from hushcount.release.explanation import short

    return short(exact_text(number))


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _printable(text: str) -> str:
    from hushcount.release.explanation import printable

    return printable(text)
