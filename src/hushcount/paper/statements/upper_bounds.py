"""Proposition 1: mechanisms that can be written down, and what each is worth behind a medium, (36) to (47).

A claim is a function of (T, epsilon, delta) that returns the mechanism G as printed, in floats. Whatever G is, its
rows must sum to 1, no entry may be negative, and G T must be private for every subset. Then 1 - gamma(G T) is no less
than p_e*(T), and it is compared with the proved lower end of p_e*(T).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np

from hushcount.medium import Medium
from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import canonical_matrix, inverse, worst_error
from hushcount.paper.generic import subset_excess
from hushcount.paper.grid import Grid
from hushcount.paper.media import (
    PROVED,
    any_media,
    behind,
    invertible_media,
    library_bounds,
    positive_media,
    promises,
    words_of,
)
from hushcount.paper.statement import Case, Claim, Erratum, Statement, Tolerance, largest
from hushcount.paper.statements.lower_bounds import assignment

__all__ = ["STATEMENTS", "direction", "largest_beta", "largest_theta"]

_TOLERANCE = 1e-9
"""The rounding of sums that involve T^-1 or P*^-1 in floats, whose entries are up to some thousand here."""


def _canonical(T: Floats, epsilon: float, delta: float) -> Floats:
    """Return the mechanism of u0 (36)."""
    return canonical_matrix(len(T), epsilon, delta)


def _first(T: Floats, epsilon: float, delta: float, most: float = 1.0) -> Floats:
    """Return G1 (37): lambda P* T^-1 + (1 - lambda) P*, with the largest lambda <= `most` that keeps it >= 0."""
    P = canonical_matrix(len(T), epsilon, delta)
    moved = P @ inverse(T)
    share = min(most, _reach(P, P - moved))
    return share * moved + (1 - share) * P


def _first_as_printed(T: Floats, epsilon: float, delta: float) -> Floats:
    """Return G1 with the minimum over i, j that is printed as equal to lambda*."""
    return _first(T, epsilon, delta, most=np.inf)


def _second(T: Floats, epsilon: float, delta: float) -> Floats:
    """Return G2 (42): P* + theta T'v v', where v is the right singular vector of T'H of the largest singular value."""
    P, v = canonical_matrix(len(T), epsilon, delta), direction(T)
    return P + largest_theta(T, P) * np.outer(T.T @ v, v)


def direction(T: Floats) -> Floats:
    """Return v, the right singular vector of T'H of the largest singular value."""
    found: Floats = np.linalg.svd(T.T @ _projector(len(T)))[2][0]
    return found


def largest_theta(T: Floats, P: Floats) -> float:
    """Return theta_R."""
    v = direction(T)
    A, B = -np.outer(T.T @ v, v), -inverse(P) @ np.outer(T.T @ v, v @ T)
    return min(_reach(P, A), _reach(T, B))


def _projector(M: int) -> Floats:
    """Return H, the projector onto the vectors that sum to 0."""
    return np.eye(M) - np.ones((M, M)) / M


def _has_one_direction(T: Floats) -> bool:
    """Return whether the largest singular value of T'H is simple, so that v is unique up to its sign."""
    sizes = np.linalg.svd(T.T @ _projector(len(T)), compute_uv=False)
    return bool(sizes[0] - sizes[1] > 1e-6)


def _third(T: Floats, epsilon: float, delta: float, most: float = 1.0) -> Floats:
    """Return G3 (46): beta Q_T + (1 - beta) P*, with the largest beta <= `most` that keeps the second factor of T >=
    0."""
    P = canonical_matrix(len(T), epsilon, delta)
    beta = min(most, largest_beta(T, P))
    return beta * assignment(T) + (1 - beta) * P


def largest_beta(T: Floats, P: Floats) -> float:
    """Return beta_R."""
    C = (np.eye(len(T)) - inverse(P) @ assignment(T)) @ T
    return _reach(T, C)


def _third_as_printed(T: Floats, epsilon: float, delta: float) -> Floats:
    """Return G3 with beta_R, however large."""
    return _third(T, epsilon, delta, most=np.inf)


def _reach(start: Floats, fall: Floats) -> float:
    """Return the least start_ij / fall_ij over fall_ij > 0, beyond rounding."""
    falls = fall > 1e-14
    return float((start[falls] / fall[falls]).min()) if falls.any() else np.inf


def _all_three(T: Floats, epsilon: float, delta: float) -> Floats:
    return _best(T, [_first(T, epsilon, delta), _second(T, epsilon, delta), _third(T, epsilon, delta)])


def _all_three_as_printed(T: Floats, epsilon: float, delta: float) -> Floats:
    printed = [_first(T, epsilon, delta), _second(T, epsilon, delta), _third_as_printed(T, epsilon, delta)]
    return _best(T, printed)


def _best(T: Floats, mechanisms: list[Floats]) -> Floats:
    return min(mechanisms, key=lambda G: worst_error(G @ T))


def _mechanism(name: str, media: Callable[[Grid], list[Medium]]) -> Callable[[Claim, Grid], Iterator[Case]]:
    """Return the check of a mechanism; `name` is that of the bound in the library."""

    def check(claim: Claim, grid: Grid) -> Iterator[Case]:
        for T, (epsilon, delta) in product(media(grid), promises(grid)):
            G, best, at = claim(T.shares, epsilon, delta), behind(T, epsilon, delta), (epsilon, delta)
            value, trivial = worst_error(G @ T.shares), worst_error(_canonical(T.shares, *at) @ T.shares)
            off = {
                f"u = {value:.10g} is below p_e*(T) >= {best.lower:.10g}": best.lower - value,
                f"p_e*(T) is known within {best.width:.3g} only": abs(best.width),
                f"u = {value:.10g} is above u0 = {trivial:.10g}": value - trivial,
                f"G has an entry {G.min():.6g}": -float(G.min()),
                "a row of G does not sum to 1": float(np.abs(G.sum(axis=1) - 1).max()),
                "G T is not private": subset_excess(G @ T.shares, epsilon) - delta,
            }
            if name and (name != "u2" or _has_one_direction(T.shares)):
                by_library = library_bounds(T, *at)[name]
                shown = np.nan if by_library is None else by_library
                off[f"hushcount has {shown:.10g}"] = abs(shown - value)
            wrong = [words for words, size in off.items() if not size <= _TOLERANCE]
            yield Case(words_of(T, epsilon, delta), largest(*off.values()), "; ".join(wrong))

    return check


_BOUND = Tolerance(
    _TOLERANCE,
    "Matrices with T^-1 or P*^-1 in floats, whose entries are up to some thousand, and bounds that are mixed with "
    "identical rows until they are private by proof.",
)
_REFERENCE = "tests/medium/test_reference_optima.py::test_bounds_and_optimum"
_PRINTED = "tests/medium/test_bounds.py::test_erratum_of_u3_as_printed"
_PROPERTY = "tests/medium/test_optimum_property.py::test_proposition_1_and_every_mechanism_is_private_behind_the_medium"

_BETA = (
    "beta <= 1 is needed as well: beyond, beta Q_T + (1 - beta) P* has negative entries and is no mechanism. With "
    "beta = min(1, beta_R) the bound is right, and l(T) where beta_R >= 1."
)

_WHERE = "8-PSK, Es/N0 = 0.0 dB (Eb/N0 = -4.7712 dB), epsilon = 2, delta = 0"

_bound = partial(
    Statement,
    locator="section V",
    compared_with=f"{PROVED}; all subsets of (2); u0",
    tolerance=_BOUND,
    implemented_by=("hushcount.medium.bounds",),
)

STATEMENTS = (
    _bound(
        name="u0 (36)",
        formula="p_e*(T) <= u0 = 1 - gamma(P* T)",
        claim=_canonical,
        check=_mechanism("u0", any_media),
        tested_by=(_REFERENCE, _PROPERTY),
    ),
    _bound(
        name="u1 (37)",
        formula="G1 = lambda P* T^-1 + (1 - lambda) P*, lambda = min(1, min p*_ij / (p*_ij - [P* T^-1]_ij)): "
        "p_e*(T) <= u1 = 1 - gamma(G1 T) <= u0",
        claim=_first,
        check=_mechanism("u1", invertible_media),
        tested_by=(_REFERENCE, _PROPERTY),
        erratum=Erratum(
            "lambda* is said to equal min p*_ij / (p*_ij - [P* T^-1]_ij) over [P* T^-1]_ij < p*_ij",
            "It equals that minimum where P* T^-1 has an entry <= 0, which the paper's reason for the scheme supposes. "
            "Elsewhere the minimum is above 1, or over nothing, and lambda* = 1, by its definition as a maximum over "
            "(0, 1]; a code that takes the minimum gets a u1 below p_e*(T).",
            _first_as_printed,
            "8-PSK, Es/N0 = 10.0 dB (Eb/N0 = 5.2288 dB), epsilon = 1, delta = 0",
        ),
    ),
    _bound(
        name="u2 (42)",
        formula="G2 = P* + theta_R T^T v v^T: p_e*(T) <= u2 = 1 - gamma(G2 T) <= u0",
        claim=_second,
        check=_mechanism("u2", positive_media),
        tested_by=(_REFERENCE, _PROPERTY),
        remark="P* must be invertible for it and for u3, which it is not at epsilon = delta = 0. Where all rows of T "
        "are equal, T^T v = 0 and theta_R has no limit: u2 is u0 there. Where the largest singular value of T^T H is "
        "multiple, as for M-PSK, v is not unique, and u2 depends on the choice: of 8-PSK at 0 dB, epsilon = 1, it is "
        "anything from 0.71792 to 0.71894, the latter being u0.",
    ),
    _bound(
        name="u3 (46)",
        formula="G3 = beta Q_T + (1 - beta) P*, beta = min(1, beta_R): p_e*(T) <= u3 = 1 - gamma(G3 T) <= u0",
        claim=_third,
        check=_mechanism("u3", positive_media),
        tested_by=(_REFERENCE, _PRINTED),
        erratum=Erratum("beta* = beta_R, also where beta_R > 1", _BETA, _third_as_printed, _WHERE),
    ),
    _bound(
        name="Proposition 1 (47)",
        formula="max(p_e*, l(T)) <= p_e*(T) <= min(u1, u2, u3), T invertible with positive entries",
        claim=_all_three,
        check=_mechanism("", positive_media),
        implemented_by=("hushcount.medium.bounds", "hushcount.medium.optimum"),
        tested_by=(_PROPERTY, _REFERENCE),
        erratum=Erratum("u3 with beta* = beta_R, also where beta_R > 1", _BETA, _all_three_as_printed, _WHERE),
        remark="u1 is there for an invertible T only, u2 and u3 for one without zeros; the least is of those.",
    ),
)
