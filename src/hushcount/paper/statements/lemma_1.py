"""The cyclic distance (7), Lemma 1 and Appendix A: the cyclic kernel is positive definite, by its eigenvalues."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import product

import numpy as np

from hushcount.mechanisms import canonical
from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import cyclic_distances, kernel_matrix
from hushcount.paper.grid import Grid
from hushcount.paper.statement import Case, Claim, Erratum, Statement, fact, largest
from hushcount.paper.tolerances import EXACT, FLOATS

__all__ = ["STATEMENTS"]

_SHRINKAGES = (0.05, 0.3, 0.5, 0.7, 0.9, 0.95)


def _equation_7(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check the steps between places on a circle of M, one by one; up to floor(M/2), and at most 1 more or less from
    row to row."""
    for M in grid.orders:
        stated, steps = claim(M), _steps_on_a_circle(M)
        kernel = canonical(M - 1, 1).matrix()
        off = [
            float(np.abs(stated - steps).max()),
            float(stated.max() - M // 2),
            float(np.abs(np.diff(stated, axis=0)).max() - 1),
            float(np.abs(np.log(kernel[0, 0] / kernel) - steps).max()),
        ]
        yield Case(f"M = {M}", largest(*off))


def _steps_on_a_circle(M: int) -> Floats:
    """Return the least number of steps to a neighbor from each place to each other, by walking."""
    found = np.full((M, M), np.inf)
    for start in range(M):
        here, steps = {start}, 0
        while here:
            found[start, sorted(here)] = steps
            around = {(place + side) % M for place in here for side in (-1, 1)}
            here, steps = {place for place in around if np.isinf(found[start, place])}, steps + 1
    return found


def _positive_definite(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check all leading principal minors of the matrix, by elimination (Cholesky), and its least eigenvalue."""
    for M, q in product(grid.orders, _SHRINKAGES):
        matrix, least = claim(M, q), math.nan
        with suppress(np.linalg.LinAlgError):
            np.linalg.cholesky(matrix)
            least = float(np.linalg.eigvalsh(matrix).min())
        yield fact(f"M = {M}, q = {q}", least > 0, f"least eigenvalue {least:.6g}")


def _cosine_sum(q: float, theta: float, m: int) -> float:
    return float(
        (1 - q**2 - 2 * q ** (m + 1) * np.cos((m + 1) * theta) + 2 * q ** (m + 2) * np.cos(m * theta))
        / (1 - 2 * q * np.cos(theta) + q**2)
    )


def _against_the_sum(claim: Claim, grid: Grid) -> Iterator[Case]:
    halves, thetas = sorted({M // 2 for M in grid.orders}), np.linspace(0, np.pi, 7).tolist()
    for m, q, theta in product(halves, _SHRINKAGES, thetas):
        total = 1 + 2 * sum(q**r * np.cos(r * theta) for r in range(1, m + 1))
        yield Case(f"m = {m}, q = {q}, theta = {theta:.3f}", abs(claim(q, theta, m) - total))


def _odd_eigenvalues(M: int, q: float) -> Floats:
    m, theta = M // 2, 2 * np.pi * np.arange(M) / M
    found: Floats = (1 - q) * (1 + q - 2 * q ** (m + 1) * np.cos(m * theta)) / (1 - 2 * q * np.cos(theta) + q**2)
    return found


def _even_eigenvalues(M: int, q: float) -> Floats:
    m, k = M // 2, np.arange(M)
    found: Floats = (1 - q**2) * (1 - (-1.0) ** k * q**m) / (1 - 2 * q * np.cos(np.pi * k / m) + q**2)
    return found


def _even_eigenvalues_as_printed(M: int, q: float) -> Floats:
    m, k = M // 2, np.arange(M)
    found: Floats = (1 - q**2 - (1 - q) ** 2 * q**m * (-1.0) ** k) / (1 - 2 * q * np.cos(np.pi * k / m) + q**2)
    return found


def _against_eigenvalues(claim: Claim, grid: Grid, *, remainder: int) -> Iterator[Case]:
    """Check the eigenvalues for the M with M mod 2 = `remainder`."""
    for M, q in product((M for M in grid.orders if remainder == M % 2), _SHRINKAGES):
        stated, generic = np.sort(claim(M, q)), np.linalg.eigvalsh(kernel_matrix(M, q))
        off = np.abs(stated - generic)
        worst = int(off.argmax())
        shown = f"eigenvalue {worst + 1} of {M}: formula {stated[worst]:.8g}, matrix {generic[worst]:.8g}"
        yield Case(f"M = {M}, q = {q}", float(off.max()) / M, shown)


_by_spectrum = partial(
    Statement,
    tolerance=FLOATS,
    implemented_by=("hushcount.mechanisms.Canonical.spectrum",),
    tested_by=("tests/mechanisms/test_theorem_1.py::test_lemma_1",),
)


STATEMENTS = (
    Statement(
        name="(7)",
        locator="section IV",
        formula="d_M(i,j) = min(|i - j|, M - |i - j|), from 0 to floor(M/2), and |d_M(k,j) - d_M(i,j)| <= |k - i|",
        compared_with="walking round a circle of M",
        claim=cyclic_distances,
        check=_equation_7,
        tolerance=FLOATS,
        implemented_by=("hushcount.canonical",),
        tested_by=("tests/mechanisms/test_theorem_1.py::test_theorem_1_equation_11",),
    ),
    _by_spectrum(
        name="Lemma 1",
        locator="section IV",
        formula="[q^d_M(i,j)] is positive definite for 0 < q < 1",
        compared_with="Cholesky factors and eigenvalues of the matrix",
        claim=kernel_matrix,
        check=_positive_definite,
        tolerance=EXACT,
    ),
    _by_spectrum(
        name="Appendix A, cosine sum",
        locator="Appendix A",
        formula="1 + 2 sum_{r=1}^m q^r cos(r t) = (1 - q^2 - 2 q^(m+1) cos((m+1) t) + 2 q^(m+2) cos(m t)) / "
        "(1 - 2 q cos t + q^2)",
        compared_with="the sum, term by term",
        claim=_cosine_sum,
        check=_against_the_sum,
    ),
    _by_spectrum(
        name="Appendix A, odd M",
        locator="Appendix A, case 1",
        formula="M = 2m + 1, t = 2 pi k / M: lambda_k = (1 - q)(1 + q - 2 q^(m+1) cos(m t)) / (1 - 2 q cos t + q^2)",
        compared_with="eigenvalues of the matrix",
        claim=_odd_eigenvalues,
        check=partial(_against_eigenvalues, remainder=1),
    ),
    _by_spectrum(
        name="Appendix A, even M",
        locator="Appendix A, case 2",
        formula="M = 2m, t = pi k / m: lambda_k = (1 - q^2)(1 - (-1)^k q^m) / (1 - 2 q cos t + q^2)",
        compared_with="eigenvalues of the matrix",
        claim=_even_eigenvalues,
        check=partial(_against_eigenvalues, remainder=0),
        erratum=Erratum(
            "the numerator 1 - q^2 - (1 - q)^2 q^m (-1)^k",
            "The factor (1 - q)^2 has to be 1 - q^2, which makes the numerator (1 - q^2)(1 - (-1)^k q^m). Both are "
            "positive, so that Lemma 1 stands.",
            _even_eigenvalues_as_printed,
        ),
    ),
)
