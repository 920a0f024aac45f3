"""The words of a propagation argument: sums of a row, the rules that connect them, and the steps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

__all__ = ["Rectangle", "RowSum", "Rule", "Step"]


@dataclass(frozen=True, order=True)
class RowSum:
    """Pr(first <= output <= last | true count `row`), of whatever mechanism."""

    row: int
    first: int
    last: int

    @property
    def outcomes(self) -> str:
        return f"outcome {self.first}" if self.first == self.last else f"outcomes {self.first}..{self.last}"

    def to_dict(self) -> dict[str, int]:
        return {"row": self.row, "first": self.first, "last": self.last}

    def __str__(self) -> str:
        return f"row {self.row}, {self.outcomes}"


@dataclass(frozen=True, order=True)
class Rectangle:
    """An active constraint on several outcomes: P_row(U) = e^epsilon P_neighbour(U) + delta for U = {first..last}."""

    row: int
    neighbour: int
    first: int
    last: int

    def to_dict(self) -> dict[str, int]:
        return {"row": self.row, "neighbour": self.neighbour, "first": self.first, "last": self.last}

    def __str__(self) -> str:
        return f"rows {self.row} and {self.neighbour}, outcomes {self.first}..{self.last}"


class Rule(Enum):
    """Why a step is right; the value is the reason for people."""

    DIAGONAL = "No optimum has a smaller diagonal entry."
    ACTIVE = "A row that has all that its neighbor allows it cannot keep it while the neighbor has less."
    UNION = "A sum is not less when none of its parts is."
    PARTS = "When a sum is the same and none of its parts is less, each part is the same."
    BACK = "A row that has all that its neighbor allows it, and not less, has the same while the neighbor has."


@dataclass(frozen=True)
class Step:
    """One step of the argument.

    Attributes:
        rule: why it is right.
        premises: what earlier steps, or the row sums of 1, have shown.
        conclusions: what it shows. After DIAGONAL, ACTIVE and UNION: no optimum has less. After PARTS and BACK: all
            optima have the same.
    """

    rule: Rule
    premises: tuple[RowSum, ...]
    conclusions: tuple[RowSum, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "rule": self.rule.name,
            "premises": [premise.to_dict() for premise in self.premises],
            "conclusions": [conclusion.to_dict() for conclusion in self.conclusions],
            "text": str(self),
        }

    def __str__(self) -> str:
        row, title = self.conclusions[0].row, f"Row {self.conclusions[0].row}, {self.conclusions[0].outcomes}"
        if self.rule is Rule.DIAGONAL:
            return f"No optimum has less on the diagonal, in rows 0..{self.conclusions[-1].row}."
        if self.rule is Rule.UNION:
            return f"{title}: no optimum has less in {_listed(self.premises)}; so none has less in them together."
        start = self.premises[0]
        if self.rule is Rule.ACTIVE:
            return (
                f"{title}: row {start.row} has all there that row {row} allows it, and no optimum has less in row "
                f"{start.row}; so none has less in row {row}."
            )
        if self.rule is Rule.BACK:
            return (
                f"{title}: no optimum has less than all that row {start.row} allows, and all have the same in row "
                f"{start.row}; so all have the same in row {row}."
            )
        return (
            f"Row {row}, {start.outcomes}: all optima have the same in all of them, and none has less in "
            f"{_listed(self.conclusions)}; so all have the same in each."
        )


def _listed(parts: tuple[RowSum, ...]) -> str:
    *most, last = (str(part.first) if part.first == part.last else f"{part.first}..{part.last}" for part in parts)
    return f"{', '.join(most)} and {last}" if most else last
