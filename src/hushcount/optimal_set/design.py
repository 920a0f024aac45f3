"""The best private mechanism for a loss, of all or of the optimal ones; certified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from os import PathLike
from typing import Any, cast

import numpy as np

from hushcount.arguments import listed
from hushcount.errors import InvalidParameter, SolverFailed, TooLarge
from hushcount.exact import Number, exact_text
from hushcount.linear_program import ModelBuilder, Outcome, add_distributions, add_privacy, mirrored, solve
from hushcount.linear_program.polytope import Columns
from hushcount.linear_program.solver import GAP
from hushcount.mechanisms.base import Floats, Mechanism, checked_n
from hushcount.mechanisms.canonical_noise import truncated_geometric
from hushcount.mechanisms.explicit import Explicit
from hushcount.mechanisms.files import save_mechanism
from hushcount.mechanisms.nearest import Nearest
from hushcount.mechanisms.saved import SavedMechanism
from hushcount.optimal_set.face import Face
from hushcount.optimal_set.objective import Loss, Objective, Prior
from hushcount.privacy.made_private import made_private
from hushcount.privacy.properties import Comparison, property_rules
from hushcount.tradeoff import EpsilonDelta

__all__ = ["LARGEST_DESIGN", "Basis", "Design", "best_member", "design"]

LARGEST_DESIGN = 257
"""Outcomes for which a linear program is solved."""

_NOISE = 1e-10
"""Entries of a solver's matrix below its tolerance may stand for 0."""


class Basis(Enum):
    """Which argument gave a design; the value is the sentence for people."""

    NEAREST = "The nearest optimum, by theorem: no optimal mechanism has a smaller loss, as it grows with distance."
    LEAST_ERROR = "The nearest optimum, by theorem: its worst-case error probability is the least there is."
    CLOSED_FORM = "A mechanism in closed form, which comes closer to the certified bound than the solver's matrix."
    LINEAR_PROGRAM = "A linear program; the bound below its value is certified."


@dataclass(frozen=True, eq=False)
class Design:
    """The result of `design` and of `OptimalSet.best`.

    Attributes:
        mechanism: (epsilon, delta)-DP by proof: in closed form, or a matrix of floats that the exact audit passed.
        privacy: the epsilon and delta asked for, exactly.
        loss: that of the mechanism, rounded up.
        lower_bound: certified: no mechanism among those asked for has a smaller loss.
        basis: which argument decided.
        properties: those imposed.
    """

    mechanism: Mechanism
    privacy: EpsilonDelta
    loss: float
    lower_bound: float
    basis: Basis
    properties: tuple[str, ...]

    @property
    def gap(self) -> float:
        """How far the loss may be from the least possible one."""
        return max(0.0, self.loss - self.lower_bound)

    def save(self, path: str | PathLike[str], *, notes: Mapping[str, str] | None = None) -> SavedMechanism:
        """Writes the mechanism to a `.csv` or `.json` file with its promise (`hushcount.save_mechanism`).

        What is written is a matrix of floats that passes the exact audit, as `hushcount release --mechanism FILE` asks;
        one in closed form is rounded to such a matrix first.
        """
        if isinstance(self.mechanism, Explicit):
            matrix = self.mechanism.entries
        else:
            matrix = made_private(self.mechanism.matrix(), self.privacy)
        notes = {"basis": self.basis.name, "properties": " ".join(self.properties) or "none", **(notes or {})}
        return save_mechanism(
            matrix, path, epsilon=self.privacy.epsilon, delta=self.privacy.delta, name="designed", notes=notes
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "n": self.mechanism.n,
            "epsilon": exact_text(self.privacy.epsilon),
            "delta": exact_text(self.privacy.delta),
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
    epsilon: Number,
    delta: Number = 0,
    *,
    loss: Loss = "absolute",
    prior: Prior = "worst",
    properties: Iterable[str] = (),
) -> Design:
    """The (epsilon, delta)-DP mechanism on 0..n with the least expected loss, by a linear program ([CKS18] section 4).

        minimise   sum_i w_i sum_j L(i, j) p(i, j),   or   max_i sum_j L(i, j) p(i, j),

    over all (epsilon, delta)-DP mechanisms with the properties asked for. Nothing is believed of the solver: the
    mechanism is mixed with a uniform one until the exact audit passes it, its loss is computed from its floats as they
    are and rounded up, and `lower_bound` is proved from the duals (`hushcount.linear_program`).

    Args:
        n: the largest count, 0..256.
        epsilon, delta: >= 0, in nats, and 0 <= delta < 1; kept exactly.
        loss: "absolute", "squared", "zero_one", a matrix of shape (n + 1, n + 1), rows = true count, or a function
            loss(true, released); any finite numbers.
        prior: "worst" for the worst case over true counts, "uniform", or n + 1 weights >= 0 that sum to 1.
        properties: of [CKS18] to impose, by the names of `hushcount.Properties`. A mechanism that has them all always
            exists (the uniform one).

    Raises:
        InvalidParameter, BadUse: naming the argument; an unknown property.
        TooLarge: n > 256.
        SolverFailed: no usable answer.
    """
    privacy, objective, names = _checked(n, EpsilonDelta.of(epsilon, delta), loss, prior, properties)
    if objective.is_worst_error_probability and not names:
        return _closed_form(Nearest(n, privacy), privacy, objective, Basis.LEAST_ERROR)
    builder, M = ModelBuilder(), n + 1
    is_mirrored = objective.is_mirrored
    entries = mirrored(builder, M) if is_mirrored else builder.columns((M, M))
    add_distributions(builder, entries[: (M + 1) // 2] if is_mirrored else entries)
    ups, downs = (entries[:-1], entries[1:]), (entries[1:], entries[:-1])
    for above, below in [ups] if is_mirrored else [ups, downs]:
        if M > 1:
            add_privacy(builder, above, below, privacy)
    return _solved(builder, entries, privacy, objective, names)


def best_member(
    optimum: Nearest, loss: Loss, prior: Prior, properties: Iterable[str], *, by_theorem: bool = True
) -> Design:
    """The optimal mechanism with the least expected loss; see `OptimalSet.best`.

    Args:
        by_theorem: take the nearest optimum where the theorem says so; if not, the linear program says what it can.
    """
    privacy, objective, names = _checked(optimum.n, optimum.privacy, loss, prior, properties)
    if objective.grows_with_distance and not names and by_theorem:
        return _closed_form(optimum, privacy, objective, Basis.NEAREST)
    face = Face.of(optimum, is_mirrored=objective.is_mirrored)
    return _solved(face.builder, face.entries, privacy, objective, names)


def _checked(
    n: int, privacy: EpsilonDelta, loss: Loss, prior: Prior, properties: Iterable[str]
) -> tuple[EpsilonDelta, Objective, tuple[str, ...]]:
    n = checked_n(n)
    if not n < LARGEST_DESIGN:
        raise TooLarge(f"a design is a linear program of up to {LARGEST_DESIGN} outcomes (got {n + 1:,})")
    known = [*property_rules(1), "weak_honesty"]
    names = tuple(dict.fromkeys(listed(properties, "properties", "a list of names")))
    for name in names:
        if name not in known:
            raise InvalidParameter("properties", name, f"among {', '.join(known)}")
    return privacy, Objective.of(n, loss, prior), names


def _closed_form(mechanism: Nearest, privacy: EpsilonDelta, objective: Objective, basis: Basis) -> Design:
    value = objective.value_of_mechanism(mechanism)
    down, up = np.nextafter(value, -np.inf), np.nextafter(value, np.inf)
    return Design(mechanism, privacy, float(up), float(down), basis, ())


def _solved(
    builder: ModelBuilder, entries: Columns, privacy: EpsilonDelta, objective: Objective, names: tuple[str, ...]
) -> Design:
    _add_properties(builder, entries, names)
    objective.add_to(builder, entries)
    model = builder.build()
    found = solve(model)
    if found.x is None or found.outcome is Outcome.INFEASIBLE:
        raise SolverFailed(f"no mechanism found: {Outcome.FAILED.value}")
    bound = max(found.bound, objective.least_conceivable)
    best: Design | None = None
    for candidate in _candidates(found.x[entries], privacy, objective, bound, names):
        if best is None or candidate.loss < best.loss:
            best = candidate
        if best.gap <= GAP * abs(best.loss):
            break
    assert best is not None
    return best


def _candidates(
    matrix: Floats, privacy: EpsilonDelta, objective: Objective, bound: float, names: tuple[str, ...]
) -> Iterator[Design]:
    """Private mechanisms near a solver's matrix, the likeliest first."""

    def of_matrix(private: Floats) -> Design:
        private.setflags(write=False)
        value = objective.value_of_matrix(private)
        return Design(Explicit(private), privacy, value, bound, Basis.LINEAR_PROGRAM, names)

    yield of_matrix(made_private(matrix, privacy))
    if names:  # only mixing with uniform rows keeps them all
        return
    # Where the rows are nearly alike (small epsilon), the mean row costs less, once what is only noise is 0.
    cleaned = np.where(matrix < _NOISE, 0.0, matrix)
    yield of_matrix(made_private(cleaned, privacy, cleaned.mean(axis=0) / cleaned.mean(axis=0).sum()))
    # Where probabilities span more than a solver's tolerance, a closed form may come closer to the bound.
    n = objective.size - 1
    for mechanism in (Nearest(n, privacy), truncated_geometric(n, privacy.epsilon)):
        value = float(np.nextafter(objective.value_of_mechanism(mechanism), np.inf))
        yield Design(mechanism, privacy, value, bound, Basis.CLOSED_FORM, ())


def _add_properties(builder: ModelBuilder, entries: Columns, names: tuple[str, ...]) -> None:
    M = len(entries)
    rules = property_rules(M)
    for name in names:
        if name == "weak_honesty":
            builder.rows([(np.diagonal(entries).copy(), 1.0)], lower=1 / M)
            continue
        for (i, j), (k, m), is_equality in cast("list[Comparison]", list(rules[name])):
            differ = np.flatnonzero(entries[i, j] != entries[k, m])
            if len(differ):
                larger, smaller = entries[i, j][differ], entries[k, m][differ]
                builder.rows([(larger, 1.0), (smaller, -1.0)], lower=0.0, upper=0.0 if is_equality else np.inf)
