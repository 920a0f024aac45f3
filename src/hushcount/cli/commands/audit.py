"""`hushcount audit`: what a matrix, or a log of releases, really guarantees."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from hushcount.cli.answer import Answer, json_text
from hushcount.cli.exit_codes import SAYS_NO, UNDECIDED
from hushcount.cli.options.groups import PRIVACY, QUESTION, SOURCE
from hushcount.cli.options.output import Json
from hushcount.cli.options.source import NumberDelimiter
from hushcount.cli.options.values import delimiter_of, no_delimiter, whole
from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.words.counted import counted
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism
    from hushcount.numbers.arrays import Floats
    from hushcount.privacy import AuditVerdict
    from hushcount.promise.gaussian import GaussianDP

__all__ = ["audit"]

_CONFIDENCE = "0.999"


def audit(
    file: Annotated[
        str | None,
        SOURCE.argument(
            metavar="FILE",
            help="The matrix, one row per true count, each summing to 1: .csv or .csv.gz (numbers, no header), .npy or "
            ".parquet. Or a saved mechanism, .csv or .json.",
        ),
    ] = None,
    *,
    epsilon: Annotated[
        str | None,
        PRIVACY.option(
            metavar="NUMBER",
            help="The claimed epsilon, >= 0. A decimal (0.5, 1e-3) or a ratio (1/3), taken exactly.",
            show_default="no claim",
        ),
    ] = None,
    delta: Annotated[
        str,
        PRIVACY.option(
            metavar="NUMBER",
            help="The claimed delta, >= 0 and < 1: by how much the probability of any set of outcomes may exceed "
            "e^epsilon times its probability under the other true count. Taken exactly.",
        ),
    ] = "0",
    mu: Annotated[
        str | None,
        PRIVACY.option(
            metavar="NUMBER",
            help="Of a matrix, judge Gaussian differential privacy at this mu > 0, in place of --epsilon and --delta. "
            "Taken exactly.",
            show_default="no claim",
        ),
    ] = None,
    rho: Annotated[
        str | None,
        PRIVACY.option(
            metavar="NUMBER",
            help="The same as --mu, told by rho: mu^2 = 2 rho. That is more than rho-zCDP, which may hold where this "
            "does not.",
            show_default="no claim",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        QUESTION.option(
            metavar="NUMBER,...",
            help="For a matrix: also print the privacy profile, the least delta at each of these epsilons.",
        ),
    ] = None,
    normalise: Annotated[
        bool,
        SOURCE.option(
            "--normalise",
            help="For a matrix: first divide each row by its sum, and audit the result.",
        ),
    ] = False,
    delimiter: NumberDelimiter = None,
    samples: Annotated[
        str | None,
        SOURCE.option(
            metavar="FILE",
            help="Instead of a matrix, a log of independent releases: .csv, .csv.gz, .npy or .parquet, with two "
            "columns of integers, the true count and the released count. If the columns have names, these are true "
            "and released.",
        ),
    ] = None,
    confidence: Annotated[
        str | None,
        QUESTION.option(
            metavar="NUMBER",
            help="For a log: the confidence level of the bound, > 0 and < 1.",
            show_default=_CONFIDENCE,
        ),
    ] = None,
    distance: Annotated[
        str, QUESTION.option(metavar="COUNT", help="How far apart the two true counts of each pair are, >= 1.")
    ] = "1",
    as_json: Json = False,
) -> Answer:
    """Find what a mechanism really guarantees.

    Audits a matrix or a log of releases. For a matrix, the answer is rigorous: the least epsilon at --delta and the
    least delta at --epsilon, with the pair of true counts and the outcomes that attain them, and the probability of
    these outcomes under either count. For a log, it is a lower bound on epsilon. Figures in the text are rounded to the
    safe side, so that they can be claimed as printed. JSON has both bounds of each figure, and null for infinity.

    With --epsilon, tests the claim that the mechanism is private at --epsilon and --delta. Exit code 0 means private
    (for a log: not rejected, since a log cannot prove privacy), 1 not private (rejected), 5 undecided. A private
    mechanism that was rounded to floats usually misses its claim by about 1e-17: the verdict says if rounding alone
    explains this, and names the delta that covers it.

    With --mu or --rho, judges Gaussian differential privacy instead, and tells the least mu.

    Example: hushcount audit matrix.csv --epsilon 1
    """
    if mu is not None or rho is not None:
        from hushcount.promise.gaussian import GaussianDP
        from hushcount.promise.given import promise_of

        option = "--rho" if mu is None else "--mu"
        claim = promise_of(mu=mu, rho=rho)  # before any file is read
        assert isinstance(claim, GaussianDP)
        _check_alone(option, claim, epsilon, delta, profile, samples, confidence)
        if file is None:
            raise BadUse(f"{option} is for the FILE of a matrix")
        return _audit_mu(_File(file, normalise, delimiter), claim, _distance(distance), as_json)
    from hushcount.promise.epsilon_delta import EpsilonDelta

    EpsilonDelta.of("0" if epsilon is None else epsilon, delta)  # before any file is read
    points = None if profile is None else _points(profile)
    apart = _distance(distance)
    if file is not None and samples is None:
        if confidence is not None:
            raise BadUse("--confidence is for --samples; what is found of a matrix is certain")
        return _audit_matrix(_File(file, normalise, delimiter), epsilon, delta, points, apart, as_json)
    if samples is not None and file is None:
        if points is not None:
            raise BadUse("--profile is for a matrix; a log gives a lower bound on one epsilon")
        if normalise:
            raise BadUse("--normalise is for a matrix; a log has no rows to divide")
        return _audit_log(samples, delimiter_of(delimiter), epsilon, delta, confidence or _CONFIDENCE, apart, as_json)
    raise BadUse("audit takes either the FILE of a matrix or --samples FILE")


def _points(profile: str) -> list[Fraction]:
    """Return each epsilon once, in the order given."""
    from hushcount.privacy.subjects import checked_epsilon

    texts = profile.split(",")
    if not all(text.strip() for text in texts):
        raise InvalidParameter("profile", profile, "numbers >= 0, with one comma between two, such as 0,0.5,1")
    return list(dict.fromkeys(checked_epsilon(text, "profile") for text in texts))


def _distance(text: str) -> int:
    with suppress(InvalidParameter):
        if (apart := whole(text, "distance")) >= 1:
            return apart
    raise InvalidParameter("distance", text, "a whole number >= 1")


def _audit_matrix(
    file: _File,
    epsilon: str | None,
    delta: str,
    points: list[Fraction] | None,
    apart: int,
    as_json: bool,
) -> Answer:
    from hushcount.privacy import audit as audited

    given, shape = file.read(apart)
    is_proved = epsilon is None and getattr(given, "epsilon", None) is not None  # by a chain, which is then judged
    found = audited(given, epsilon=epsilon, delta=None if is_proved and delta == "0" else delta, distance=apart)
    curve = None if points is None else found.profile(points)
    code = _code(found.verdict)
    if as_json:
        told = None if curve is None else [point.to_dict() for point in curve]
        return Answer(json_text({**shape.fields, **found.to_dict(), "profile": told}), code)
    return Answer(f"{shape.heading}\n{found.to_text(curve or ())}\n", code)


def _check_alone(
    chosen: str,
    claim: GaussianDP,
    epsilon: str | None,
    delta: str,
    profile: str | None,
    samples: str | None,
    confidence: str | None,
) -> None:
    """See that nothing else is claimed or asked beside a mu or rho."""
    if samples is not None:
        raise BadUse(_for_a_log(claim))
    others = {
        "--epsilon": epsilon is not None,
        "--delta": delta != "0",
        "--profile": profile is not None,
        "--confidence": confidence is not None,
    }
    for option, is_given in others.items():
        if is_given:
            raise BadUse(f"{chosen} is judged by itself: leave out {option}")


def _for_a_log(claim: GaussianDP) -> str:
    """Return what a log can be judged at in place of mu: an epsilon that mu implies."""
    from hushcount.numbers.text import upper_text

    epsilon = claim.least_epsilon(Fraction(1, 100))
    instead = "an epsilon that it implies at a delta"
    if epsilon is not None:
        instead += f", such as --epsilon {upper_text(epsilon)} --delta 0.01"
    return f"a log cannot be judged at {claim.in_words()}: judge {instead}; if that is rejected, so is mu"


def _audit_mu(file: _File, claim: GaussianDP, apart: int, as_json: bool) -> Answer:
    from hushcount.privacy import audit as audited

    given, shape = file.read(apart)
    found = audited(given, mu=claim, distance=apart)
    code = _code(found.verdict)
    if as_json:
        return Answer(json_text({**shape.fields, **found.to_dict()}), code)
    return Answer(f"{shape.heading}\n{found}\n", code)


@dataclass(frozen=True)
class _Shape:
    """What was read, for the answer."""

    file: str
    true_counts: int
    outcomes: int
    normalised: bool
    what: str = "Matrix"

    @property
    def fields(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "what"}

    @property
    def heading(self) -> str:
        size = f"{counted(self.true_counts, 'true count')}, {counted(self.outcomes, 'outcome')}"
        divided = ", each row divided by its sum" if self.normalised else ""
        return row(self.what, f"{printable(self.file)}: {size}{divided}")


def _size(matrix: Floats) -> tuple[int, int]:
    height, width = matrix.shape
    return height, width


@dataclass(frozen=True)
class _File:
    """A file with a saved mechanism or a matrix, and how the matrix is read."""

    path: str
    normalise: bool
    delimiter: str | None

    def read(self, apart: int) -> tuple[Mechanism | Floats, _Shape]:
        """Return what it holds."""
        from hushcount.files.number_tables import read_matrix
        from hushcount.mechanisms import Explicit
        from hushcount.saved.files import holds_mechanism, read_mechanism

        given: Mechanism | Floats
        if holds_mechanism(self.path):
            if self.normalise:
                raise BadUse("--normalise is for a matrix; the rows of a saved mechanism sum to 1")
            no_delimiter(self.delimiter)
            given = read_mechanism(self.path)
            what = "Matrix" if isinstance(given, Explicit) else "Chain"
            shape = _Shape(self.path, given.n + 1, given.n + 1, self.normalise, what)
        else:
            given = read_matrix(self.path, normalise=self.normalise, delimiter=delimiter_of(self.delimiter))
            shape = _Shape(self.path, *_size(given), self.normalise)
        if apart > max(1, shape.true_counts - 1):  # no pair is so far apart: "private" would be true, and mislead
            raise InvalidParameter("distance", apart, f"less than the number of true counts, {shape.true_counts}")
        return given, shape


def _code(verdict: AuditVerdict | None) -> int:
    return {None: 0, "PRIVATE": 0, "NOT_PRIVATE": SAYS_NO, "UNDECIDED": UNDECIDED}[verdict and verdict.name]


def _audit_log(
    file: str, delimiter: str, epsilon: str | None, delta: str, confidence: str, apart: int, as_json: bool
) -> Answer:
    from hushcount.files.number_tables import read_samples
    from hushcount.numbers.exact import exact
    from hushcount.privacy import SampleVerdict, audit_samples

    if not 0 < exact(confidence, "confidence") < 1:
        raise InvalidParameter("confidence", confidence, "a number > 0 and < 1")
    pairs = read_samples(file, delimiter=delimiter)
    try:
        found = audit_samples(pairs, epsilon=epsilon, delta=delta, confidence=confidence, distance=apart)
    except InvalidParameter:
        raise
    except BadUse as error:  # every option is checked by now, so the log is at fault
        raise BadData(f"{file}: {error}") from None
    code = SAYS_NO if found.verdict is SampleVerdict.REJECTED else 0
    if as_json:
        return Answer(json_text({"file": file, **found.to_dict()}), code)
    size = f"{counted(found.draws, 'release')}, {counted(found.pairs, 'ordered pair')} of true counts"
    return Answer(f"Log         {printable(file)}: {size}\n{found}\n", code)
