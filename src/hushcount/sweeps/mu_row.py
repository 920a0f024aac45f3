"""A point of a sweep over mu or rho, and what is known there."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import ClassVar

from hushcount._version import __version__
from hushcount.mechanisms.by_name import GAUSSIAN
from hushcount.mechanisms.chain.nearest import NearestGaussian
from hushcount.privacy import audit
from hushcount.promise.gaussian import GaussianDP
from hushcount.sweeps.columns import nearest
from hushcount.sweeps.mechanism_row import measures

__all__ = ["MuPoint", "MuRow"]


@dataclass(frozen=True, slots=True)
class MuPoint:
    """One mechanism, n, and mu or rho; the texts are exact numbers, and one of these two is None."""

    mechanism: str
    n: int
    mu: str | None
    rho: str | None

    def row(self) -> MuRow:
        """Return what is known there."""
        promise = GaussianDP.of(self.mu) if self.mu is not None else GaussianDP.of_rho(self.rho)  # type: ignore[arg-type]
        law = GAUSSIAN[self.mechanism](self.n, promise)
        found = audit(law, mu=promise)
        least_lower, least_upper = NearestGaussian(self.n, promise).error_bounds()
        return MuRow(
            **asdict(self),
            **measures(law),
            mu_float=float(promise),
            rho_float=nearest(promise.rho),
            least_lower=max(0.0, least_lower),
            least_upper=least_upper,
            verdict=found.verdict.name,
            by_rounding=found.by_rounding,
            needs_mu_lower=found.least_mu.interval.lower,
            needs_mu_upper=found.least_mu.interval.upper,
            hushcount_version=__version__,
        )


@dataclass(frozen=True, slots=True)
class MuRow:
    """One row of a sweep over mu or rho, without a medium. All measures are worst cases over the true counts 0..n.

    Attributes:
        mechanism ... rho: the point.
        mu_float, rho_float: the nearest floats of both, mu^2 = 2 rho.
        least_lower, least_upper: bounds on the least error probability of any mechanism that is mu-GDP.
        lower ... within_1: as in `MechanismRow`.
        verdict: of the audit at mu: PRIVATE, NOT_PRIVATE or UNDECIDED.
        by_rounding: whether the verdict may be due to the rounding of a matrix alone.
        needs_mu_lower, needs_mu_upper: bounds on the least mu that it keeps; infinite if none.
        hushcount_version: the version that computed the row.
    """

    mechanism: str
    n: int
    mu: str | None
    rho: str | None
    mu_float: float
    rho_float: float
    least_lower: float
    least_upper: float
    lower: float
    upper: float
    absolute_error: float
    squared_error: float
    bias: float
    within_1: float
    verdict: str
    by_rounding: bool
    needs_mu_lower: float
    needs_mu_upper: float
    hushcount_version: str
    point_class: ClassVar[type[MuPoint]] = MuPoint

    @property
    def point(self) -> MuPoint:
        return MuPoint(*(getattr(self, field.name) for field in fields(MuPoint)))
