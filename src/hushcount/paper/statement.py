"""What a statement of the paper is here: its words, how it is checked, and where it lives in the code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushcount.paper.grid import Grid

__all__ = ["Case", "Check", "Claim", "Erratum", "Statement", "Tolerance", "fact", "largest"]

Claim = Callable[..., Any]
"""The formula of a statement as a function of its parameters, taken from the paper and nothing else."""


@dataclass(frozen=True)
class Case:
    """A statement at one choice of parameters.

    Attributes:
        parameters: the choice of parameters, in words.
        deviation: how far it is from holding: |left - right|, or by how much an inequality is violated; 0.0 where it
            holds exactly, NaN or infinity where there is nothing to compare.
        shown: what was found there, for a reader who wants to see it; may be empty.
    """

    parameters: str
    deviation: float
    shown: str = ""


Check = Callable[[Claim, Grid], Iterator[Case]]
"""Compares a claim with computations that know nothing of it, over a grid."""


def fact(parameters: str, holds: bool, shown: str = "") -> Case:
    """Return a case that is true or false, with deviation 0 or 1."""
    return Case(parameters, 0.0 if holds else 1.0, shown)


def largest(*deviations: float) -> float:
    """Return the largest deviation, 0.0 where none is positive, and NaN where one is NaN, which `max` would pass
    over."""
    return float(np.max([0.0, *deviations]))


@dataclass(frozen=True)
class Tolerance:
    """The largest deviation that counts as none, and why there may be any."""

    size: float
    reason: str


@dataclass(frozen=True)
class Erratum:
    """A claim of the paper that needs correcting.

    Attributes:
        printed: what the paper prints, in one line.
        correction: what it should say.
        claim: the claim as printed; the check of the statement must find it wrong.
        example: the parameters of a case to show, if it is on the grid; the worst one otherwise.
    """

    printed: str
    correction: str
    claim: Claim
    example: str = ""


@dataclass(frozen=True)
class Statement:
    """A numbered statement, example or figure of [RV26].

    Attributes:
        name: as in the paper; unique.
        locator: where it stands in the paper.
        formula: what is claimed, in one line, with q = e^-epsilon; corrected where there is an erratum.
        compared_with: the computation that the claim is held against, in a few words.
        claim, check: the claim as it holds, and what judges it.
        tolerance: see `Tolerance`.
        implemented_by: dotted public names of what implements it.
        tested_by: the tests that hold the implementation to it, as pytest names them.
        erratum: how the printed claim differs, and fails; None where it does not.
        remark: what else a reader should know; may be empty.
    """

    name: str
    locator: str
    formula: str
    compared_with: str
    claim: Claim
    check: Check
    tolerance: Tolerance
    implemented_by: tuple[str, ...]
    tested_by: tuple[str, ...]
    erratum: Erratum | None = None
    remark: str = ""
