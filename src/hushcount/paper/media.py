"""The media that the statements of section V are checked with, and what is certain about each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import log

import numpy as np

from hushcount.medium import (
    Medium,
    MediumOptimum,
    bounds,
    from_matrix,
    optimum,
    psk,
    rounding,
    symmetric_channel,
)
from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import least_error
from hushcount.paper.grid import Grid
from hushcount.paper.received import Bracket, least_received_error, received_error
from hushcount.paper.statement import Case, fact, largest

__all__ = [
    "PROVED",
    "TINY",
    "any_media",
    "behind",
    "circulant_media",
    "invertible_media",
    "library_bounds",
    "library_optimum",
    "loss",
    "lossy_case",
    "near_identities",
    "positive_media",
    "promises",
    "psk_media",
    "singular_media",
    "words_of",
]

PROVED = "p_e*(T), proved here from both sides to 1e-9"
"""What a bound on p_e*(T) is held against (`behind`); how near the two sides are is part of what is checked."""

TINY = ((1e-3, 0.0), (1e-3, 1e-4), (1e-2, 0.0))
"""Promises small enough for what holds at all small enough ones, for the media here."""

_ROUNDING = 1e-10
"""The rounding of (9) in floats at tiny epsilons, where it is a quotient of small differences, and of what is proved
here."""

_LESS_PRIVATE = 4.0
"""An epsilon at which most media cost something."""


@lru_cache(maxsize=64)
def _psk(order: int, decibels: float) -> Medium:
    return psk(order, es_n0_db=decibels)


def psk_media(grid: Grid) -> list[Medium]:
    """Return 8-PSK at the grid's SNRs, rising."""
    return [_psk(8, decibels) for decibels in grid.decibels]


def circulant_media(grid: Grid) -> list[Medium]:
    others = [_psk(5, 3.0), _psk(4, 6.0), symmetric_channel(4, 0.1)]
    shifted = from_matrix(_cyclic([0.7, 0.3, 0, 0, 0]), description="one step up with chance 0.3, cyclic")
    return [*psk_media(grid), *others, shifted]


def invertible_media(grid: Grid) -> list[Medium]:
    """Return circulant media, near-identities, a path, one that is lossy at small epsilon, and random ones."""
    given = {
        "doubly stochastic": [[0.8, 0.1, 0.1], [0.15, 0.7, 0.15], [0.05, 0.2, 0.75]],
        "a path": [[0.9, 0.1, 0], [0.1, 0.8, 0.1], [0, 0.2, 0.8]],
        "three in a ring": [[0.6, 0.4, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]],
        "two inputs much alike": [[0.5, 0.4, 0.1], [0.45, 0.35, 0.2], [0.1, 0.1, 0.8]],
        "the example after (33)": [[0.5, 0.4, 0.1], [0.3, 0.2, 0.5], [0.2, 0.2, 0.6]],
    }
    named = [from_matrix(matrix, description=name) for name, matrix in given.items()]
    return [*circulant_media(grid), *named, *_random_media(grid)]


def positive_media(grid: Grid) -> list[Medium]:
    """Return the `invertible_media` without an entry 0."""
    return [T for T in invertible_media(grid) if (T.matrix > 0).all()]


def near_identities() -> list[Medium]:
    """Return media in which all errors are equally likely, and rare."""
    return [symmetric_channel(M, p) for M in (3, 5, 8) for p in (1e-4, 1e-3, 1e-2)]


def singular_media() -> list[Medium]:
    """Return singular media, among them a singular optimum of (5, ln 1.1, 0): as a medium it costs nothing there."""
    k, total = 1.1, 5.41
    example = [
        [k**2, k**3, 1, 1 / k, 5.41 - k**3 - k**2 - 1 - 1 / k],
        [k, k**2, k, 1, 1],
        [1, k, k**2, k, 1],
        [20 / 21, 22 / 21, k, k**2, k],
        [1, k, 1, k, k**2],
    ]
    return [
        rounding(3, 2),
        rounding(4, 2),
        rounding(8, 3),
        from_matrix([[0.75, 0.125, 0.125], [0.25, 0.5, 0.25], [0.5, 0.3125, 0.1875]], description="rows in a line"),
        from_matrix(np.array(example) / total, normalise=True, description="the example with M = 5"),
    ]


def any_media(grid: Grid) -> list[Medium]:
    """Return media that are invertible and media that are not."""
    return [*invertible_media(grid), *singular_media()]


def _random_media(grid: Grid) -> Iterator[Medium]:
    rng = np.random.default_rng(26)
    for M, share in ((3, 0.3), (4, 0.3), (4, 0.02), (6, 0.2)):
        for number in range(grid.random_media):
            noise = rng.dirichlet(np.ones(M), size=M)
            words = f"random, {M} symbols, {share:g} of noise, number {number + 1}"
            yield from_matrix((1 - share) * np.eye(M) + share * noise, normalise=True, description=words)


def _cyclic(row: list[float]) -> Floats:
    return np.array([np.roll(row, shift) for shift in range(len(row))])


def promises(grid: Grid) -> list[tuple[float, float]]:
    """Return the grid's promises but for two at which P* is nearly singular, and one that is less private."""
    return [*((e, d) for e, d in grid.promises if e + d > 0.01), (log(1.1), 0.0), (_LESS_PRIVATE, 0.0)]


@lru_cache(maxsize=4096)
def library_optimum(T: Medium, epsilon: float, delta: float) -> MediumOptimum:
    """Return the answer of `hushcount.medium.optimum`, which is under test here."""
    return optimum(T, epsilon, delta)


@lru_cache(maxsize=4096)
def behind(T: Medium, epsilon: float, delta: float) -> Bracket:
    """Return p_e*(T) between proofs that are checked here; of hushcount's answer only the mechanism is used, as a
    witness."""
    witness = library_optimum(T, epsilon, delta).mechanism.matrix()
    lower = least_received_error(T.shares, epsilon, delta)
    return Bracket(lower, received_error(T.shares, epsilon, delta, witness))


@lru_cache(maxsize=4096)
def library_bounds(T: Medium, epsilon: float, delta: float) -> dict[str, float | None]:
    """Return the values of `hushcount.medium.bounds`, by name."""
    return {bound.name: bound.value for bound in bounds(T, epsilon, delta)}


def loss(T: Medium, epsilon: float, delta: float) -> float:
    """Return the most that p_e*(T) can be above p_e*."""
    return largest(behind(T, epsilon, delta).upper - least_error(T.order, epsilon, delta))


def words_of(T: Medium, epsilon: float, delta: float) -> str:
    return f"{T.description}, epsilon = {epsilon:g}, delta = {delta:g}"


def lossy_case(T: Medium, epsilon: float, delta: float) -> Case:
    """Return whether p_e*(T) > p_e* beyond rounding."""
    best, least = behind(T, epsilon, delta), least_error(T.order, epsilon, delta)
    shown = f"p_e*(T) from {best.lower:.10g} to {best.upper:.10g}, p_e* = {least:.10g}"
    return fact(words_of(T, epsilon, delta), best.lower > least + _ROUNDING, shown)
