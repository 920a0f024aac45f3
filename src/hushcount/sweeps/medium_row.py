"""A point of a sweep behind a medium, and what is known there."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar

from hushcount._version import __version__
from hushcount.errors import SolverFailed
from hushcount.medium.behind import Behind, upward
from hushcount.medium.channels.by_name import MEDIA, takes
from hushcount.medium.medium import Medium
from hushcount.numbers.exact import exact
from hushcount.sweeps.columns import nearest

__all__ = ["MediumPoint", "MediumRow", "made"]


@dataclass(frozen=True, slots=True)
class _Asked:
    """One medium, epsilon and delta. Texts are exact numbers, `"inf"` an SNR without noise.

    Attributes:
        medium: its kind, as in `hushcount medium KIND`.
        n: the largest count; the medium has n + 1 symbols.
        es_n0_db, eb_n0_db, p, multiple, fading, labels, coherent, to: the other arguments of that kind, None where it
            has no such argument or takes its default.
        epsilon, delta: what is promised of the counts that arrive.
    """

    medium: str
    n: int
    es_n0_db: str | None
    eb_n0_db: str | None
    p: str | None
    multiple: int | None
    fading: str | None
    labels: str | None
    coherent: bool | None
    to: str | None
    epsilon: str
    delta: str


@dataclass(frozen=True, slots=True)
class MediumPoint(_Asked):
    """A point of a sweep behind a medium; see `_Asked`."""

    def row(self) -> MediumRow:
        """Return what is known there; this takes about 10 ms at n = 7."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        T = made(self.medium, self.n, **dict(list(given.items())[2:-2]))
        behind = Behind.of(T, self.epsilon, self.delta)
        best, privacy = behind.optimum, behind.privacy
        bounds: dict[str, Any] = {bound.name: bound.value for bound in behind.bounds}
        least_bound, least_name = min(
            (value, name) for name, value in bounds.items() if value is not None and name != "l"
        )
        verdict, decided_by, gap = _verdict(behind)
        return MediumRow(
            **given,
            **bounds,
            es_n0_db_float=_float(self.es_n0_db),
            eb_n0_db_float=_float(self.eb_n0_db),
            p_float=_float(self.p),
            epsilon_float=nearest(privacy.epsilon),
            delta_float=nearest(privacy.delta),
            medium_error_probability=T.error_probability,
            without_medium_lower=behind.without.lower,
            without_medium_upper=behind.without.upper,
            lower=best.lower,
            upper=best.upper,
            width=upward(best.width),
            absolute_error=best.absolute_error,
            basis=best.basis.name,
            least_bound=least_bound,
            least_bound_name=least_name,
            verdict=verdict,
            decided_by=decided_by,
            gap=gap,
            hushcount_version=__version__,
        )


@dataclass(frozen=True, slots=True)
class MediumRow(_Asked):
    """One row of a sweep behind a medium.

    Probabilities are worst-case chances that what arrives is not the true count.

    Attributes:
        medium ... delta: the point.
        es_n0_db_float ... delta_float: the same as floats, each the nearest one.
        medium_error_probability: Pr(received != sent) of the medium alone, worst case over the symbols.
        without_medium_lower, without_medium_upper: bounds on p_e*, the least error probability without a medium.
        lower, upper: certified bounds, lower <= p_e*(T) <= upper, on the least error probability behind the medium.
        width: upper - lower, rounded up.
        absolute_error: E|received - true| with the mechanism that reaches `upper`, worst case, rounded up.
        basis: the argument that gave the optimum, the name of a `Basis`.
        l: the error probability that no mechanism undercuts, private or not, rounded down.
        u0 ... u5: the upper bounds of `bounds`, rounded up; None where they do not apply.
        least_bound, least_bound_name: the least of these bounds, and its name.
        verdict: LOSSLESS, LOSSY or UNDECIDED, as by `is_lossless`; SOLVER_FAILED where it gave up.
        decided_by: the rule that decided, in words.
        gap: the most that p_e*(T) can be above p_e*, or for LOSSY the least; None for SOLVER_FAILED.
        hushcount_version: the version that computed the row.
    """

    es_n0_db_float: float | None
    eb_n0_db_float: float | None
    p_float: float | None
    epsilon_float: float
    delta_float: float
    medium_error_probability: float
    without_medium_lower: float
    without_medium_upper: float
    lower: float
    upper: float
    width: float
    absolute_error: float
    basis: str
    l: float  # noqa: E741 - the paper's name
    u0: float | None
    u1: float | None
    u2: float | None
    u3: float | None
    u4: float | None
    u5: float | None
    least_bound: float
    least_bound_name: str
    verdict: str
    decided_by: str
    gap: float | None
    hushcount_version: str
    point_class: ClassVar[type[MediumPoint]] = MediumPoint

    @property
    def point(self) -> MediumPoint:
        return MediumPoint(*(getattr(self, field.name) for field in fields(MediumPoint)))


@lru_cache(maxsize=16)
def made(kind: str, n: int, **given: Any) -> Medium:
    """Return the medium of a point, made from the texts in it and cached, since one serves many epsilons.

    Raises:
        InvalidParameter, TooLarge: the function that makes it refuses the values.
    """
    options = {name: value for name, value in given.items() if value is not None}
    for name in ("es_n0_db", "eb_n0_db"):
        if options.get(name) == "inf":
            options[name] = math.inf
    size = {"bits": n.bit_length()} if "bits" in takes(kind) else {"order": n + 1}
    return MEDIA[kind](**size, **options)


def _verdict(behind: Behind) -> tuple[str, str, float | None]:
    try:
        found = behind.losslessness
    except SolverFailed as error:
        return "SOLVER_FAILED", str(error), None
    return found.verdict.name, found.decided_by, found.gap


def _float(text: str | None) -> float | None:
    return None if text is None else math.inf if text == "inf" else nearest(exact(text))
