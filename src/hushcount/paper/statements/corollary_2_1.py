"""Corollary 2.1: a doubly stochastic medium costs nothing at small epsilon and delta."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hushcount.medium import Conclusion, corollary_2_1
from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import least_error
from hushcount.paper.grid import Grid
from hushcount.paper.media import PROVED, TINY, behind, invertible_media, loss, words_of
from hushcount.paper.statement import Case, Claim, Erratum, Statement, fact
from hushcount.paper.tolerances import RECEIVED

__all__ = ["STATEMENTS"]


def _is_doubly_stochastic(T: Floats) -> bool:
    """Return whether 1^T T = 1^T; then 1^T T^-1 = 1^T, so every column sum of T^-1 is 1."""
    return bool(np.abs(T.sum(axis=0) - 1).max() < 1e-12)


def _reason_as_printed(T: Floats) -> bool:
    """Return whether T^-1 1 = 1 > 0, which holds for every invertible stochastic matrix."""
    return bool(np.abs(np.linalg.inv(T).sum(axis=1) - 1).max() < 1e-9)


def _corollary_2_1(claim: Claim, grid: Grid) -> Iterator[Case]:
    for T in invertible_media(grid):
        if claim(T.matrix):
            for epsilon, delta in TINY:
                best, least = behind(T, epsilon, delta), least_error(T.order, epsilon, delta)
                shown = f"p_e*(T) >= {best.lower:.10g} > p_e* = {least:.10g}"
                yield Case(words_of(T, epsilon, delta), loss(T, epsilon, delta), shown)
        if _is_doubly_stochastic(T.matrix):
            by_library = corollary_2_1(T).conclusion
            yield fact(f"{T.description}, by hushcount", by_library is Conclusion.LOSSLESS_WHEN_SMALL)


STATEMENTS = (
    Statement(
        name="Corollary 2.1",
        locator="section V",
        formula="T invertible and doubly stochastic, so that 1^T T^-1 = 1^T > 0: p_e*(T) = p_e* at small "
        "epsilon and delta",
        compared_with=f"{PROVED}, at tiny epsilon and delta",
        claim=_is_doubly_stochastic,
        check=_corollary_2_1,
        tolerance=RECEIVED,
        implemented_by=("hushcount.medium.corollary_2_1",),
        tested_by=("tests/medium/test_theorem_2.py::test_corollary_2_1",),
        erratum=Erratum(
            'it "follows from the first statement of the previous theorem, since T^-1 1 = 1 > 0"',
            "It follows from the third statement, since 1^T T^-1 = 1^T: the column sums of T^-1 are 1. The printed "
            "reason, about its row sums, holds for every invertible stochastic T, and not every one costs nothing.",
            _reason_as_printed,
        ),
    ),
)
