"""The best private mechanism for a loss, among all private ones or among the optimal ones; certified."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from os import PathLike
from typing import Any

import numpy as np

from hushcount.errors import BadUse, SolverFailed, TooLarge
from hushcount.inputs.arguments import integer
from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.polytope import Columns, add_distributions, add_privacy, matrix_columns
from hushcount.linear_program.solver import GAP, solve
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.nearest import NearestGaussian
from hushcount.mechanisms.explicit import Explicit
from hushcount.mechanisms.optima.canonical import Canonical
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.mechanisms.peers.canonical_noise import truncated_geometric
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number
from hushcount.optimal_set.by_chain.best import tamed
from hushcount.optimal_set.face import Face
from hushcount.optimal_set.imposed import Imposed
from hushcount.optimal_set.losses import Loss
from hushcount.optimal_set.objective import Objective, Prior
from hushcount.optimal_set.saving import save_designed
from hushcount.privacy.made_private import made_private
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import promise_of
from hushcount.saved.mechanism import Saved

__all__ = ["LARGEST_DESIGN", "Basis", "Design", "best_member", "design"]

LARGEST_DESIGN = 257
"""The most outcomes for which a linear program over all entries is solved."""

LARGEST_CHAIN = 2**14
"""The most outcomes for which a best chain is sought."""

_NEAR = 1e-8
"""How far a chain's bounds may be apart, relative to its loss, for no linear program to be tried as well."""

_LEAST_ERROR = 2.0**-40
"""How small a loss, about the least error probability of its mechanisms, is scaled up to near 1 for the solver."""

_NOISE = 1e-10
"""Entries of a solver's matrix below this, its tolerance, may stand for 0."""


class Basis(Enum):
    """Which argument gave a design; the value is the sentence for people."""

    NEAREST = "The nearest optimum, by theorem: no optimal mechanism has a smaller loss, as it grows with distance."
    LEAST_ERROR = "The nearest optimum, by theorem: its worst-case error probability is the least there is."
    CLOSED_FORM = "A mechanism in closed form, which comes closer to the certified bound than the solver's matrix."
    CHAIN = (
        "A chain of thresholds: of all that keep a promise, noise cut at the best thresholds has the least loss, as it "
        "grows with distance; the bound below its value is certified."
    )
    LINEAR_PROGRAM = "A linear program; the bound below its value is certified."


@dataclass(frozen=True, eq=False)
class Design:
    """The result of `design` and of `OptimalSet.best`.

    Attributes:
        mechanism: private by proof: in closed form, a chain of thresholds, or a matrix of floats (`made_private`).
        privacy: the promise asked for, exact.
        loss: the loss of the mechanism, rounded up.
        lower_bound: certified and rounded down: no mechanism among those asked for has a smaller loss.
        basis: which argument decided.
        properties: the names of the properties imposed.
    """

    mechanism: Mechanism
    privacy: Curve
    loss: float
    lower_bound: float
    basis: Basis
    properties: tuple[str, ...]

    def and_also(self, other: Design) -> Design:
        """Return the design with the smaller loss of two, with the larger bound."""
        better = self if self.loss <= other.loss else other
        return replace(better, lower_bound=max(self.lower_bound, other.lower_bound))

    @property
    def gap(self) -> float:
        """loss - lower_bound: the mechanism's loss is at most this far above the least one. For `OptimalSet.best`,
        whose matrix misses the set of optima by rounding, it may fall below 0 by as little."""
        return self.loss - self.lower_bound

    def save(self, path: str | PathLike[str], *, notes: Mapping[str, str] | None = None) -> Saved:
        """Write the mechanism to a `.csv` or `.json` file with its promise (`hushcount.save_mechanism`).

        What is written is a matrix of floats that passes the exact audit, as `hushcount release --mechanism FILE` asks;
        or, under another promise than one epsilon and delta and beyond 4,096 outcomes, the thresholds themselves.

        Raises:
            TooLarge: a design that is no chain has more than 4,096 outcomes.
        """
        notes = {"basis": self.basis.name, "properties": " ".join(self.properties) or "none", **(notes or {})}
        return save_designed(self.mechanism, self.privacy, path, notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the design, ready for JSON."""
        return {
            "n": self.mechanism.n,
            **self.privacy.to_fields(),
            "loss": self.loss,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "basis": self.basis.name,
            "explanation": self.basis.value,
            "properties": list(self.properties),
            "error_probability": self.mechanism.error_probability,
        }


def design(
    n: int,
    epsilon: Number | Curve | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
    loss: Loss = "absolute",
    prior: Prior = "worst",
    properties: Iterable[str] = (),
) -> Design:
    """Return the mechanism on 0..n with the least expected loss of all that keep a promise:

        minimize   sum_i w_i sum_j L(i, j) p(i, j),   or   max_i sum_j L(i, j) p(i, j).

    **Losses that do not fall away from the truth**, on either side, for every promise and n up to 16,383: the best
    mechanism is told by n thresholds (docs/theory.md, "Designs by thresholds"). **All others**, and properties, for one
    (epsilon, delta) and n up to 256: a linear program over all entries ([CKS18] section 4), whose solver is not
    trusted. Its matrix is mixed with identical rows until it is private by proof, and the properties are checked.

    Either way the loss is computed from what is released and rounded up, and `lower_bound` is proved from multipliers
    and rounded down. They are up to 1e-8 of the loss apart, or further where probabilities span more than floats do,
    and for the worst case of more than a thousand true counts (an epsilon below 0.3, or squared errors): see `gap`.

    Args:
        n: the largest count.
        epsilon, delta: >= 0, in nats, and 0 <= delta < 1; kept exactly. Or a promise (`EpsilonDelta`, `GaussianDP`,
            `SeveralPairs`), and nothing else.
        mu, rho: mu-GDP in place of epsilon and delta, as for `nearest`.
        loss: "absolute", "squared", "zero-one", a matrix of shape (n + 1, n + 1), rows = true count, or a function
            loss(true, released); any numbers of at most 1e300 in size. A matrix or a function for n <= 4,095 only.
        prior: "worst" for the worst case over true counts, "uniform", or n + 1 weights >= 0 that sum to 1.
        properties: properties of [CKS18] to impose, named as in `hushcount.privacy.Properties`. No set of them
            conflicts: the uniform mechanism has them all.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it; an unknown property; a loss that falls away from the truth,
            or a property, under another promise than one (epsilon, delta).
        TooLarge: n is larger.
        SolverFailed: the solver gave no usable answer, or one in which a property fails by more than rounding.
    """
    n, promise = integer(n, "n", least=0), promise_of(epsilon, delta, mu=mu, rho=rho)
    if not n < LARGEST_CHAIN:
        raise TooLarge(f"a design has at most {LARGEST_CHAIN:,} outcomes (got {n + 1:,})")
    asked = _Asked(promise, Objective.of(n, loss, prior), Imposed(properties))
    is_program_possible = isinstance(promise, EpsilonDelta) and n < LARGEST_DESIGN
    if asked.objective.losses.grows_with_distance and not asked.imposed.names:
        if asked.objective.is_worst_error_probability:
            if isinstance(promise, EpsilonDelta):
                return asked.least_error(Nearest(n, promise))
            if isinstance(promise, GaussianDP):
                return asked.least_gaussian_error(NearestGaussian(n, promise))
        found = asked.by_chain()
        if found.gap <= _NEAR * abs(found.loss) or not is_program_possible:
            return found
        return found.and_also(asked.by_program())
    _checked(n)
    return asked.by_program()


def best_member(
    optimum: Nearest, loss: Loss, prior: Prior, properties: Iterable[str], *, by_theorem: bool = True
) -> Design:
    """Return the optimal mechanism with the least expected loss; see `OptimalSet.best`.

    Args:
        by_theorem: take the nearest optimum where the theorem says that it is best; otherwise always solve the program.
    """
    n = _checked(optimum.n)
    asked = _Asked(optimum.privacy, Objective.of(n, loss, prior), Imposed(properties))
    if asked.objective.losses.grows_with_distance and not asked.imposed.names and by_theorem:
        return asked.closed_form(optimum, Basis.NEAREST)
    face = Face.of(optimum, is_mirrored=asked.is_mirrored)
    return asked.solved(face.builder, face.entries, [optimum, Canonical(n, optimum.privacy)])


def _checked(n: int) -> int:
    n = integer(n, "n", least=0)
    if not n < LARGEST_DESIGN:
        raise TooLarge(f"a design is a linear program of up to {LARGEST_DESIGN} outcomes (got {n + 1:,})")
    return n


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a design is to be."""

    privacy: Curve
    objective: Objective
    imposed: Imposed

    @property
    def is_mirrored(self) -> bool:
        """Whether mechanisms with p(n - i, n - j) = p(i, j) suffice.

        Then the average of a mechanism with its mirror image is as private, has the same properties, and no larger
        loss.
        """
        return self.objective.is_mirrored or self.imposed.is_symmetric

    def by_chain(self) -> Design:
        """Return the best chain. Of an epsilon beyond what floats follow, a smaller one is kept."""
        mechanism, loss, bound = self.objective.best_chain(tamed(self.privacy))
        if tamed(self.privacy) is not self.privacy:
            bound = -math.inf
        return Design(mechanism, self.privacy, loss, max(bound, self.objective.least_of_diagonal), Basis.CHAIN, ())

    def by_program(self) -> Design:
        """Return what a linear program over all entries finds.

        Raises:
            BadUse: the promise is not one (epsilon, delta).
            SolverFailed: see `design`.
        """
        privacy, n = self.privacy, self.objective.losses.n
        if not isinstance(privacy, EpsilonDelta):
            raise BadUse(
                "only one (epsilon, delta) can be promised with properties or with a loss that falls away from the "
                f"truth (got {privacy.in_words()})"
            )
        builder, M = ModelBuilder(), n + 1
        entries = matrix_columns(builder, M, is_mirrored=self.is_mirrored, privacy=privacy)
        entries = self.imposed.shared(entries)
        add_distributions(builder, entries[: (M + 1) // 2] if self.is_mirrored else entries)
        ups, downs = (entries[:-1], entries[1:]), (entries[1:], entries[:-1])
        for above, below in [] if M == 1 else [ups] if self.is_mirrored else [ups, downs]:
            add_privacy(builder, above, below, privacy)
        return self.solved(builder, entries, [Nearest(n, privacy), truncated_geometric(n, privacy.epsilon)])

    def least_error(self, mechanism: Nearest) -> Design:
        """Return the design of the nearest optimum for the worst-case error probability itself."""
        value = mechanism.error_probability
        down, up = (math.nextafter(value, towards) for towards in (-math.inf, math.inf))
        return Design(mechanism, self.privacy, up, max(down, 0.0), Basis.LEAST_ERROR, ())

    def least_gaussian_error(self, mechanism: NearestGaussian) -> Design:
        """Return the same under mu-GDP, between proved bounds."""
        low, high = mechanism.error_bounds()
        return Design(mechanism, self.privacy, high, max(low, 0.0), Basis.LEAST_ERROR, ())

    def closed_form(self, mechanism: Mechanism, basis: Basis, bound: float | None = None) -> Design:
        """Return the design of a mechanism in closed form, with its own loss as the bound if none is given."""
        value = self.objective.value_of_mechanism(mechanism)
        if self.objective.is_nothing:
            return Design(mechanism, self.privacy, 0.0, 0.0 if bound is None else bound, basis, ())
        down, up = (math.nextafter(value, towards) for towards in (-math.inf, math.inf))
        return Design(mechanism, self.privacy, up, down if bound is None else bound, basis, ())

    def solved(self, builder: ModelBuilder, entries: Columns, known: list[Mechanism]) -> Design:
        """Return the design by the linear program over the entries, or by a known mechanism that comes closer."""
        self.imposed.add_to(builder, entries)
        lift = 2.0 ** -round(math.log2(max(known[0].error_probability, _LEAST_ERROR)))
        self.objective.add_to(builder, entries, lift)
        found = solve(builder.build())
        if found.x is None:
            raise SolverFailed(f"no mechanism found: {found.outcome.value}")
        bound = max(self.objective.unscaled(found.bound / lift, -math.inf), self.objective.least_conceivable)
        best: Design | None = None
        for candidate in self._candidates(found.x[entries], known, bound):
            if best is None or candidate.loss < best.loss:
                best = candidate
            if best.gap <= GAP * abs(best.loss):
                break
        assert best is not None
        return best

    def _candidates(self, matrix: Floats, known: list[Mechanism], bound: float) -> Iterator[Design]:
        """Yield private mechanisms near a solver's matrix, the likeliest first."""

        def of_matrix(private: Floats) -> Design:
            private.setflags(write=False)
            value = self.objective.value_of_matrix(private)
            return Design(Explicit(private), self.privacy, value, bound, Basis.LINEAR_PROGRAM, self.imposed.names)

        assert isinstance(self.privacy, EpsilonDelta)
        mended = made_private(self.imposed.settled(matrix), self.privacy)
        self.imposed.check(mended)
        yield of_matrix(mended)
        if self.imposed.names:  # only mixing with uniform rows keeps all properties
            return
        # Where the rows are nearly alike (small epsilon), mixing with the mean row costs less once noise is set to 0.
        cleaned = np.where(matrix < _NOISE, 0.0, matrix)
        yield of_matrix(made_private(cleaned, self.privacy, cleaned.mean(axis=0) / cleaned.mean(axis=0).sum()))
        # Where probabilities span more than a solver's tolerance, a closed form may come closer to the bound.
        for mechanism in known:
            yield self.closed_form(mechanism, Basis.CLOSED_FORM, bound)
