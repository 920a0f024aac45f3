"""The step of the proof of Theorem 2 statement 3 that bounds K T^-1, (30) and (31)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import inverse
from hushcount.paper.grid import Grid
from hushcount.paper.media import invertible_media
from hushcount.paper.statement import Case, Claim, Statement, largest
from hushcount.paper.tolerances import FLOATS

__all__ = ["STATEMENTS", "room_of_31"]

_BELOW = 1 - 1e-6
"""The fraction of the room for the entries of K that is used; (31) asks them to be below it."""


def room_of_31(T: Floats) -> float:
    """Return what |k_ij| has to be below: s / (M^2 |T^-1|_max), where s > 0 is the least column sum of T^-1."""
    back = inverse(T)
    return float(back.sum(axis=0).min() / (len(T) ** 2 * np.abs(back).max()))


def _equations_30_and_31(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check K of random signs, and of the signs that make an entry of K T^-1 as large as can be; then no entry of J
    T^-1 / M + K T^-1 is negative."""
    rng = np.random.default_rng(30)
    for T in invertible_media(grid):
        M, back = T.order, inverse(T.matrix)
        least = float(back.sum(axis=0).min())
        if not least > 1e-9:
            continue
        signs = [rng.choice([-1.0, 1.0], (M, M)) for _ in range(grid.members)]
        signs += [np.tile(side * np.sign(back[:, j]), (M, 1)) for j in range(M) for side in (1, -1)]
        off = []
        for K in (_BELOW * claim(T.matrix) * each for each in signs):
            entries, sizes = K @ back, np.abs(K) @ np.abs(back)
            off += [float((np.abs(entries) - sizes).max()), float(sizes.max()) - least / M]
            off.append(-float((back.sum(axis=0) / M + entries).min()))
        yield Case(T.description, largest(*off))


STATEMENTS = (
    Statement(
        name="(30), (31)",
        locator="section V, proof of Theorem 2 statement 3",
        formula="|k_ij| < s / (M^2 |T^-1|_max): |[K T^-1]_ij| <= sum_z |k_iz| |[T^-1]_zj| < s / M, s > 0 the least "
        "column sum of T^-1",
        compared_with="K of random signs and of the worst, multiplied out",
        claim=room_of_31,
        check=_equations_30_and_31,
        tolerance=FLOATS,
        implemented_by=("hushcount.medium.statement_3",),
        tested_by=("tests/medium/test_theorem_2.py::test_theorem_2_statement_3_and_4",),
        remark="docs/theory.md (Does it cost anything?) has M |T^-1|_1, never more, in the place of M^2 |T^-1|_max.",
    ),
)
