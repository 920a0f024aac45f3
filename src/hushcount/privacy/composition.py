"""What several releases about the same rows promise together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
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
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.words.paragraphs import labelled, wrapped

__all__ = ["Basis", "Composition", "compose"]

LARGEST_EPSILON = 2**20
"""Beyond this sum of epsilons only the sum is given; neither means any privacy."""

_DIGITS = 17
"""As many digits as tell any two floats apart; all of them would be thousands for a long list of releases."""

_RULE = "a list of pairs (epsilon, delta) or mechanisms"
_EACH = "a pair (epsilon, delta) or a mechanism"


class Basis(Enum):
    """Which argument gave the result; the value is the sentence for people."""

    PRIVACY_LOSS = "The privacy loss distributions of the releases, composed: close to the best that can be said."
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
        releases: how many there are.
        basis: the argument that gave `epsilon`.
    """

    epsilon: float
    target_delta: Fraction
    least_target_delta: Fraction
    basic_epsilon: Fraction
    basic_delta: Fraction
    releases: int
    basis: Basis

    @property
    def explanation(self) -> str:
        """The basis as a sentence for people."""
        enough = rounded_up(self.least_target_delta)
        if self.basis is not Basis.INFINITE or not enough < 1:
            return self.basis.value
        return f"{self.basis.value.removesuffix('.')}: {typed(enough)} is enough."

    def to_dict(self) -> dict[str, Any]:
        """Return the result, ready for JSON: exact numbers are text, an infinite epsilon is null."""
        return {
            "epsilon": self.epsilon if math.isfinite(self.epsilon) else None,
            "target_delta": exact_text(self.target_delta),
            "least_target_delta": exact_text(self.least_target_delta),
            "basic_epsilon": exact_text(self.basic_epsilon),
            "basic_delta": exact_text(self.basic_delta),
            "releases": self.releases,
            "basis": self.basis.name,
            "explanation": self.explanation,
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
                labelled("Sums", f"epsilon {short(self.basic_epsilon)}, delta {short(self.basic_delta)}"),
                "",
                wrapped(self.explanation),
            ]
        )


def compose(
    releases: Iterable[tuple[Number, Number] | EpsilonDelta | Mechanism] | ArrayLike, target_delta: Number
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

    Args:
        releases: pairs (epsilon, delta) with epsilon >= 0 in nats and 0 <= delta < 1, as tuples, lists, rows of an
            array or `EpsilonDelta`; or mechanisms, which stand for what they promise.
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
    counted = Counter(promises)
    epsilon_sum = sum((p.epsilon * count for p, count in counted.items()), Fraction(0))
    delta_sum = sum((p.delta * count for p, count in counted.items()), Fraction(0))
    found, basis = math.inf, Basis.INFINITE
    least_target = _InfiniteLoss(counted)
    if delta_sum <= target or least_target.is_at_most(target):
        found, basis = outwards(epsilon_sum, math.inf), Basis.BASIC_SUM
        if target > 0 and 0 < epsilon_sum <= LARGEST_EPSILON:
            tight = LossGrid.of(counted).epsilon(target)
            if tight < found:
                found, basis = tight, Basis.PRIVACY_LOSS
    return Composition(found, target, least_target.rounded_up(), epsilon_sum, delta_sum, len(promises), basis)


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


def _promise(release: object, place: str) -> EpsilonDelta:
    if isinstance(release, EpsilonDelta):
        return release
    if isinstance(release, Mechanism):
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
