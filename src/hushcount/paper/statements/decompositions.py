"""The steps to u2 and u3: T = T_1 T_2, so that a mechanism P* T_1^-1 gives P* T_2, (38) to (41) and (43) to (45).

T_1^-1 is I + X with X = theta u v^T, u = P*^-1 T^T v, in the second scheme, and beta P*^-1 Q_T + (1 - beta) I in the
third. The printed claims are held against the matrices multiplied out: with the theta and beta of u2 and u3, with half
of them, and, where one is the largest possible, with a little more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np

from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import canonical_matrix, inverse
from hushcount.paper.grid import Grid
from hushcount.paper.media import positive_media, promises, words_of
from hushcount.paper.statement import Case, Claim, Statement, Tolerance, largest
from hushcount.paper.statements.lower_bounds import assignment
from hushcount.paper.statements.upper_bounds import direction, largest_beta, largest_theta

__all__ = ["STATEMENTS"]

_SHARES = (0.5, 1.0)

_MULTIPLIED = Tolerance(1e-9, "Products of matrices with P*^-1 in floats, whose entries are up to some thousand.")


def _at(grid: Grid) -> Iterator[tuple[str, Floats, Floats]]:
    """Yield words, T and P*."""
    for T, (epsilon, delta) in product(positive_media(grid), promises(grid)):
        yield words_of(T, epsilon, delta), T.shares, canonical_matrix(T.order, epsilon, delta)


def _gamma(A: Floats) -> float:
    return float(np.diagonal(A).min())


def _perturbed(T: Floats, P: Floats, theta: float) -> tuple[Floats, Floats]:
    """Return the left sides of (38) and (39)."""
    v = direction(T)
    u = inverse(P) @ T.T @ v
    return P + theta * np.outer(P @ u, v), T + theta * np.outer(u, v @ T)


def _equations_38_and_39(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that they are P* (I + X) and (I + X) T, whose rows sum to 1.

    Up to theta_R both are >= 0, and beyond one is not; I + X can be inverted unless theta v^T u = -1.
    """
    for words, T, P in _at(grid):
        v, theta, identity = direction(T), largest_theta(T, P), np.eye(len(T))
        u, off = inverse(P) @ T.T @ v, [abs(float(v.sum()))]
        for share in (*_SHARES, 1.01):
            step = identity + share * theta * np.outer(u, v)
            stated, multiplied = claim(T, P, share * theta), (P @ step, step @ T)
            off += [float(np.abs(one - other).max()) for one, other in zip(stated, multiplied, strict=True)]
            off += [float(np.abs(each.sum(axis=1) - 1).max()) for each in multiplied]
            off.append(abs(float(np.linalg.det(step)) - (1 + share * theta * float(v @ u))) / (1 + abs(theta)))
            least = min(float(each.min()) for each in stated)
            off.append(-least if share <= 1 else float(least >= 0))
        yield Case(words, largest(*off))


def _at_least_with_v(T: Floats, P: Floats, theta: float) -> tuple[float, float]:
    """Return the right sides of (40) and (41)."""
    x = T.T @ direction(T)
    return _gamma(P @ T) + theta * _gamma(np.outer(x, x)), _gamma(P @ T)


def _gains(
    factor: Callable[[Floats, Floats, float], Floats], most: Callable[[Floats, Floats], float]
) -> Callable[[Claim, Grid], Iterator[Case]]:
    """Return a check that P* T_2 does as well as stated, and no worse than P* T; T_2 is `factor` at fractions of the
    `most`."""

    def check(claim: Claim, grid: Grid) -> Iterator[Case]:
        for words, T, P in _at(grid):
            off: list[float] = []
            for amount in (share * most(T, P) for share in _SHARES):
                reached, (better, trivial) = _gamma(P @ factor(T, P, amount)), claim(T, P, amount)
                off += [better - reached, trivial - better, abs(trivial - _gamma(P @ T))]
            yield Case(words, largest(*off))

    return check


def _second_factor(T: Floats, P: Floats, beta: float) -> Floats:
    """Return T_2 of (43)."""
    return (beta * inverse(P) @ assignment(T) + (1 - beta) * np.eye(len(T))) @ T


def _most_beta(T: Floats, P: Floats) -> float:
    return min(1.0, largest_beta(T, P))


def _equation_43(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that T_2 is stochastic up to beta_R, that P* T_2 is what (46) gives behind T, and that T_1 T_2 = T where
    T_1^-1 has an inverse, that is where (beta - 1) / beta is no eigenvalue of P*^-1 Q_T."""
    for words, T, P in _at(grid):
        Q, off = assignment(T), list[float]()
        for share in _SHARES:
            beta = share * _most_beta(T, P)
            factor = claim(T, P, beta)
            off += [-float(factor.min()), float(np.abs(factor.sum(axis=1) - 1).max())]
            off.append(float(np.abs(P @ factor - (beta * Q + (1 - beta) * P) @ T).max()))
            mixed = inverse(P) @ Q
            eigenvalues = np.linalg.eigvals(mixed)
            if np.abs(eigenvalues - (beta - 1) / beta).min() > _CLEAR:
                step = beta * mixed + (1 - beta) * np.eye(len(T))
                off.append(float(np.abs(np.linalg.solve(step, factor) - T).max()))
        yield Case(words, largest(*off))


_CLEAR = 1e-2
"""The least distance of an eigenvalue from what it must not be; nearer, T_1 is large, and T_1 T_2 is rounding."""


def _at_least_with_q(T: Floats, P: Floats, beta: float) -> tuple[float, float]:
    """Return the right sides of (44) and (45)."""
    best, trivial = _gamma(assignment(T) @ T), _gamma(P @ T)
    return beta * best + (1 - beta) * trivial, beta * trivial + (1 - beta) * trivial


_step = partial(
    Statement,
    locator="section V",
    tolerance=_MULTIPLIED,
    implemented_by=("hushcount.medium.bounds",),
    tested_by=("tests/medium/test_reference_optima.py::test_bounds_and_optimum",),
)

STATEMENTS = (
    _step(
        name="(38), (39)",
        formula="X = theta u v^T, u = P*^-1 T^T v, v^T 1 = 0: P* (I + X) = P* + theta (P* u) v^T >= 0 and (I + X) T = "
        "T + theta u (v^T T) >= 0 up to theta_R and not beyond; det(I + X) = 1 + theta v^T u",
        compared_with="the matrices, multiplied out, also beyond theta_R",
        claim=_perturbed,
        check=_equations_38_and_39,
    ),
    _step(
        name="(40), (41)",
        formula="theta >= 0, x = T^T v: gamma(P* T_2) >= gamma(P* T) + theta gamma(x x^T) >= gamma(P* T)",
        compared_with="P* (I + X) T, multiplied out",
        claim=_at_least_with_v,
        check=_gains(lambda T, P, theta: _perturbed(T, P, theta)[1], largest_theta),
    ),
    _step(
        name="(43)",
        formula="T = (beta P*^-1 Q_T + (1 - beta) I)^-1 T_2 with T_2 stochastic, 0 < beta <= min(1, beta_R), and "
        "P* T_2 = (beta Q_T + (1 - beta) P*) T",
        compared_with="the matrices, multiplied out",
        claim=_second_factor,
        check=_equation_43,
        remark="Where (beta - 1) / beta is an eigenvalue of P*^-1 Q_T there is no such inverse. Mechanism (46) needs "
        "none: P* T_2 is P* post-processed all the same.",
    ),
    _step(
        name="(44), (45)",
        formula="0 <= beta <= 1: gamma(P* T_2) >= beta gamma(Q_T T) + (1 - beta) gamma(P* T) >= gamma(P* T)",
        compared_with="P* T_2, multiplied out",
        claim=_at_least_with_q,
        check=_gains(_second_factor, _most_beta),
    ),
)
