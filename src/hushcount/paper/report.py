"""The results of checking the statements: verdicts, as data and as a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from hushcount.paper.statement import Case, Statement

__all__ = ["Report", "StatementReport", "Verdict"]


class Verdict(Enum):
    """What is found about a statement; the value is the sentence for people."""

    HOLDS = "Holds in every case that was checked."
    CORRECTED = "Holds once corrected; as printed it fails in the case shown."
    NOT_SHOWN = "A correction is claimed to be needed, but what is printed failed nowhere."
    FAILS = "Fails in the case shown."


@dataclass(frozen=True)
class StatementReport:
    """One statement, checked.

    Attributes:
        statement: the statement.
        verdict: see `Verdict`.
        cases: how many choices of parameters it was checked at.
        deviation: the largest deviation from what the statement says, corrected where needed.
        worst: the case with that deviation; None where there was no case, which counts as failing.
        counter_example: where a correction is needed, the case in which the printed claim is farthest off.
    """

    statement: Statement
    verdict: Verdict
    cases: int
    deviation: float
    worst: Case | None
    counter_example: Case | None

    def to_dict(self) -> dict[str, Any]:
        """Return the result, ready for JSON; a deviation that is not finite is null."""
        statement, erratum = self.statement, self.statement.erratum
        return {
            "name": statement.name,
            "locator": statement.locator,
            "formula": statement.formula,
            "compared_with": statement.compared_with,
            "implemented_by": list(statement.implemented_by),
            "tested_by": list(statement.tested_by),
            "remark": statement.remark or None,
            "verdict": self.verdict.name,
            "explanation": self.verdict.value,
            "cases": self.cases,
            "largest_deviation": _finite(self.deviation),
            "tolerance": statement.tolerance.size,
            "tolerance_reason": statement.tolerance.reason,
            "worst_case": _case(self.worst),
            "printed": None if erratum is None else erratum.printed,
            "correction": None if erratum is None else erratum.correction,
            "counter_example": _case(self.counter_example),
        }


@dataclass(frozen=True)
class Report:
    """All statements checked, in the paper's order; true where each holds, corrected where a correction is known."""

    statements: tuple[StatementReport, ...]

    def __bool__(self) -> bool:
        good = {Verdict.HOLDS, Verdict.CORRECTED}
        return bool(self.statements) and all(found.verdict in good for found in self.statements)

    def __getitem__(self, name: str) -> StatementReport:
        for found in self.statements:
            if found.statement.name == name:
                return found
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the report, ready for JSON."""
        return {"holds": bool(self), "statements": [found.to_dict() for found in self.statements]}


def _case(case: Case | None) -> dict[str, Any] | None:
    if case is None:
        return None
    return {"parameters": case.parameters, "deviation": _finite(case.deviation), "shown": case.shown or None}


def _finite(deviation: float) -> float | None:
    return deviation if abs(deviation) < float("inf") else None
