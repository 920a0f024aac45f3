"""What several releases about the same rows promise together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter
from hushcount.inputs.arguments import listed
from hushcount.mechanisms.base import Mechanism
from hushcount.numbers.enclosure import at_most, ball, refinements
from hushcount.numbers.exact import Number, exact, exact_text
from hushcount.numbers.intervals import exactly, outwards
from hushcount.numbers.text import rounded_up, short, typed, upper_text
from hushcount.privacy.loss_grid import LossGrid
from hushcount.privacy.mixed_loss import MixedLoss
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP, mu_squared_of_pure_epsilon
from hushcount.promise.several import SeveralPairs
from hushcount.promise.together import keepable
from hushcount.words.paragraphs import labelled, wrapped

__all__ = ["Basis", "Composition", "compose"]

LARGEST_EPSILON = 2**20
"""Beyond this sum of epsilons only the sum is given; neither means any privacy."""

_DIGITS = 17
"""As many digits as tell any two floats apart; all of them would be thousands for a long list of releases."""

_RULE = "a list of pairs (epsilon, delta), promises or mechanisms"
_EACH = "a pair (epsilon, delta), a promise or a mechanism"
_MOST_CHOICES = 64
"""Of one pair each from promises of several: so many are tried."""


class Basis(Enum):
    """Which argument gave the result; the value is the sentence for people."""

    PRIVACY_LOSS = "The privacy loss distributions of the releases, composed: close to the best that can be said."
    GAUSSIAN = "The sum of mu^2, and what it promises at the target: exact, rounded up."
    MIXED = "A normal privacy loss for the Gaussian releases and two values for each other: close to the best."
    BASIC_SUM = "The sum of the epsilons, for the deltas together fit the target; nothing better could be certified."
    INFINITE = "No epsilon: the deltas of the releases together exceed the target. Ask for a larger target delta."


@dataclass(frozen=True)
class Composition:
    """The result of `compose`: all releases together are (epsilon, target_delta)-DP. `print` it for a summary.

    Attributes:
        epsilon: the epsilon at `target_delta`, rounded up; infinite where the deltas alone exceed the target (or the
            sum exceeds every float).
        target_delta: the delta asked for.
        least_target_delta: the least delta at which there is an epsilon, 1 - prod (1 - delta_r), rounded up to 17
            digits.
        basic_epsilon, basic_delta: the sums, exactly: together the releases are also (basic_epsilon, basic_delta)-DP.
            No epsilon where there is a Gaussian release. Of several pairs at once, those that `epsilon` comes from.
        releases: how many there are.
        basis: the argument that gave `epsilon`.
        mu_squared: where there is a Gaussian release: but for a chance of `least_target_delta` to give everything away,
            all releases together are mu-GDP, those of an epsilon at mu = 2 Phi^-1(1 / (1 + e^-epsilon)), rounded up.
    """

    epsilon: float
    target_delta: Fraction
    least_target_delta: Fraction
    basic_epsilon: Fraction | None
    basic_delta: Fraction
    releases: int
    basis: Basis
    mu_squared: Fraction | None = None

    @property
    def explanation(self) -> str:
        """The basis as a sentence for people."""
        enough = rounded_up(self.least_target_delta)
        if self.basis is Basis.INFINITE and self.mu_squared is not None and not enough:
            return "No epsilon at delta 0, where Gaussian releases never have one. Ask for a target delta above 0."
        if self.basis is not Basis.INFINITE or not enough < 1:
            return self.basis.value
        words = "is enough" if self.mu_squared is None else "and a little more is enough"
        return f"{self.basis.value.removesuffix('.')}: {typed(enough)} {words}."

    def to_dict(self) -> dict[str, Any]:
        """Return the result, ready for JSON: exact numbers are text, an infinite epsilon is null."""
        return {
            "epsilon": self.epsilon if math.isfinite(self.epsilon) else None,
            "target_delta": exact_text(self.target_delta),
            "least_target_delta": exact_text(self.least_target_delta),
            "basic_epsilon": None if self.basic_epsilon is None else exact_text(self.basic_epsilon),
            "basic_delta": exact_text(self.basic_delta),
            "releases": self.releases,
            "basis": self.basis.name,
            "explanation": self.explanation,
            "mu_squared": None if self.mu_squared is None else exact_text(self.mu_squared),
        }

    def __str__(self) -> str:
        target = short(self.target_delta)
        together = f"no epsilon at delta {target}"
        if math.isfinite(self.epsilon):
            together = f"epsilon {upper_text(Fraction(self.epsilon))}, delta {target}"
        return "\n".join(
            [
                labelled("Releases", f"{self.releases:,}"),
                labelled("Together", together),
                labelled("Sums", f"{self._sum}, delta {short(self.basic_delta)}"),
                "",
                wrapped(self.explanation),
            ]
        )

    @property
    def _sum(self) -> str:
        if self.mu_squared is None:
            assert self.basic_epsilon is not None
            return f"epsilon {short(self.basic_epsilon)}"
        return f"mu^2 {short(rounded_up(self.mu_squared))}"


def compose(
    releases: Iterable[tuple[Number, Number] | Curve | Mechanism] | ArrayLike, target_delta: Number
) -> Composition:
    """Return the least epsilon at `target_delta` that several releases about the same rows promise together, rounded
    up.

    Each release counts as the worst (epsilon, delta)-DP mechanism there is: privacy loss epsilon with probability (1 -
    delta) e^epsilon / (1 + e^epsilon), -epsilon with (1 - delta) / (1 + e^epsilon), infinity with delta ([KOV15]
    section 3). Their losses add up, and dp-accounting's privacy loss distributions do the sum ([KJH20]).

    For equal epsilons, or epsilons in small whole proportions, the losses fall on a common grid, and the result is the
    optimal composition up to floats. Otherwise every epsilon is first rounded up to a grid of a millionth of their sum.
    Rounding is allowed for: the target is first lowered by a bound on what Fourier transforms lose. So tiny targets
    (below 1e-13 for a few releases, 1e-11 for hundreds) get the sum of the epsilons.

    That sum is also the most that is ever returned while 1 - prod (1 - delta_r) <= target_delta: this is the chance of
    an infinite loss, and without one the loss is at most the sum. Beyond, no epsilon is enough. Order and adaptivity do
    not matter: a later release may depend on the results of earlier ones.

    **Gaussian releases** (`GaussianDP`): mu^2 adds up, and what the sum promises at the target is exact. Beside pairs,
    the losses of the pairs, of two values each, are added to a normal one, and the deltas stay apart: f_{epsilon,
    delta} = f_{epsilon, 0} (x) f_{0, delta} (`hushcount.privacy.mixed_loss`). **Several pairs at once** count as that
    one of them with which the result is least.

    Args:
        releases: pairs (epsilon, delta) with epsilon >= 0 in nats and 0 <= delta < 1, as tuples, lists, rows of an
            array or `EpsilonDelta`; `GaussianDP` and `SeveralPairs`; or mechanisms, which stand for what they promise.
        target_delta: 0 <= target_delta < 1.

    Raises:
        InvalidParameter: a bad epsilon, delta or target; not a list; or something that is neither pair nor mechanism,
            naming its place.
        BadUse: no release; a mechanism that promises nothing (`audit` tells what it guarantees); or dp-accounting is
            needed and not installed (the extra `composition`).
    """
    target = exact(target_delta, "target_delta")
    if not 0 <= target < 1:
        raise InvalidParameter("target_delta", target_delta, "a number >= 0 and < 1")
    given: Iterable[Any] = listed(releases, "releases", _RULE)  # type: ignore[arg-type]
    promises = [_promise(release, f"releases[{place}]") for place, release in enumerate(given)]
    if not promises:
        raise BadUse("compose needs at least one release")
    return min((_composed(chosen, target) for chosen in _choices(promises)), key=lambda found: found.epsilon)


def _choices(promises: list[Curve]) -> Iterable[list[Curve]]:
    """The releases with one pair for each promise of several; equal promises have equal ones."""
    several = sorted({p for p in promises if isinstance(p, SeveralPairs)}, key=str)
    combinations = product(*(promise.pairs for promise in several))
    for pairs in islice(combinations, _MOST_CHOICES):
        stands_for = dict(zip(several, pairs, strict=True))
        yield [stands_for[p] if isinstance(p, SeveralPairs) else p for p in promises]


def _composed(promises: list[Curve], target: Fraction) -> Composition:
    counted = Counter(p for p in promises if isinstance(p, EpsilonDelta))
    gaussian = keepable(sum((p.mu_squared for p in promises if isinstance(p, GaussianDP)), Fraction(0)))
    epsilon_sum = sum((p.epsilon * count for p, count in counted.items()), Fraction(0))
    delta_sum = sum((p.delta * count for p, count in counted.items()), Fraction(0))
    least_target = _InfiniteLoss(counted)
    kept = least_target.rounded_up()
    if gaussian:
        found, basis = _with_gaussian(gaussian, counted, epsilon_sum, kept, target)
        charged = (mu_squared_of_pure_epsilon(p.epsilon) * count for p, count in counted.items())
        mu_squared = keepable(gaussian + sum(charged, Fraction(0)))
        return Composition(found, target, kept, None, delta_sum, len(promises), basis, mu_squared)
    found, basis = math.inf, Basis.INFINITE
    if delta_sum <= target or least_target.is_at_most(target):
        found, basis = outwards(epsilon_sum, math.inf), Basis.BASIC_SUM
        if target > 0 and 0 < epsilon_sum <= LARGEST_EPSILON:
            tight = LossGrid.of(counted).epsilon(target)
            if tight < found:
                found, basis = tight, Basis.PRIVACY_LOSS
    return Composition(found, target, kept, epsilon_sum, delta_sum, len(promises), basis)


def _with_gaussian(
    mu_squared: Fraction, counted: Counter[EpsilonDelta], epsilon_sum: Fraction, kept: Fraction, target: Fraction
) -> tuple[float, Basis]:
    """The least epsilon where there is a Gaussian release; at a target that the deltas use up there is none."""
    if not kept < target:
        return math.inf, Basis.INFINITE
    excess = (target - kept) / (1 - kept)
    if epsilon_sum == 0:
        return MixedLoss(mu_squared, ()).epsilon(excess), Basis.GAUSSIAN
    epsilons: Counter[Fraction] = Counter()
    for promise, count in counted.items():
        epsilons[promise.epsilon] += count
    found = MixedLoss.of(mu_squared, epsilons).epsilon(excess)
    alone = GaussianDP(mu_squared).least_epsilon(excess)
    basic = math.inf if alone is None else outwards(alone + epsilon_sum, math.inf)
    return (found, Basis.MIXED) if found <= basic else (basic, Basis.BASIC_SUM)


class _InfiniteLoss:
    """1 - prod (1 - delta_r), the chance of an infinite loss in the worst case.

    It is in balls where these tell enough, and exact where they do not, since as a fraction it may have millions of
    digits.
    """

    def __init__(self, counted: Counter[EpsilonDelta]) -> None:
        self._factors = [(1 - p.delta, count) for p, count in counted.items() if p.delta]

    def is_at_most(self, target: Fraction) -> bool:
        found = at_most(self._enclosed, target)
        return self._exactly <= target if found is None else found

    def rounded_up(self) -> Fraction:
        """Return it rounded up to 17 digits."""
        if not self._factors:
            return Fraction(0)
        for value in refinements(self._enclosed):
            if value > 0:
                low, high = (rounded_up(exactly(end), _DIGITS) for end in (value.lower(), value.upper()))
                if low == high:
                    return high
        return rounded_up(self._exactly, _DIGITS)

    def _enclosed(self, precision: int) -> arb:
        logs = (ball(kept).log() * count for kept, count in self._factors)
        return -sum(logs, arb(0)).expm1()

    @cached_property
    def _exactly(self) -> Fraction:
        return 1 - math.prod((kept**count for kept, count in self._factors), start=Fraction(1))


def _promise(release: object, place: str) -> Curve:
    if isinstance(release, Curve):
        return release
    if isinstance(release, Mechanism):
        if isinstance(release.proven_privacy, (GaussianDP, SeveralPairs)):
            return release.proven_privacy
        if release.epsilon is None or release.delta is None:
            raise BadUse(
                f"the mechanism {release.name!r} in {place} promises no epsilon; audit it and pass the pair (epsilon, "
                "delta) found"
            )
        return EpsilonDelta(release.epsilon, release.delta)
    if not (isinstance(release, (tuple, list, np.ndarray)) and len(release) == 2):
        raise InvalidParameter(place, release, _EACH)
    try:
        return EpsilonDelta.of(release[0], release[1])
    except InvalidParameter as error:
        raise InvalidParameter(f"the {error.argument} of {place}", error.value, error.rule) from None
