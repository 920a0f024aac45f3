"""Run the checks of the statements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from hushcount.inputs.arguments import listed
from hushcount.paper.grid import FULL, Grid
from hushcount.paper.registry import selected
from hushcount.paper.report import Report, StatementReport, Verdict
from hushcount.paper.statement import Case, Statement

__all__ = ["Progress", "check_paper", "check_statement"]

Progress = Callable[[int, int, Statement], None]


def check_statement(statement: Statement, grid: Grid = FULL) -> StatementReport:
    """Check one statement at every choice of parameters; with an erratum, also what is printed, which must fail."""
    cases = [_kept(case) for case in statement.check(statement.claim, grid)]
    worst = _worst(cases)
    verdict = Verdict.HOLDS if worst is not None and _is_within(statement, worst) else Verdict.FAILS
    counter_example = None
    if statement.erratum is not None:
        printed = [_kept(case) for case in statement.check(statement.erratum.claim, grid)]
        counter_example = _worst(_named(printed, statement.erratum.example)) or _worst(printed)
        if verdict is Verdict.HOLDS:
            is_shown = counter_example is not None and not _is_within(statement, counter_example)
            verdict = Verdict.CORRECTED if is_shown else Verdict.NOT_SHOWN
    deviation = math.inf if worst is None else worst.deviation
    return StatementReport(statement, verdict, len(cases), deviation, worst, counter_example)


def check_paper(only: Iterable[str] = (), *, grid: Grid = FULL, progress: Progress | None = None) -> Report:
    """Check the statements of [RV26] against computations that know nothing of them; all take about a minute.

    Args:
        only: the beginnings of the statements' names, such as "Theorem 1" or "Fig. 2"; all by default.
        grid: the parameters; `hushcount.paper.grid` has a smaller one.
        progress: called before each statement with its number from 0, how many there are, and the statement.

    Returns:
        The report; true where every statement holds, corrected where a correction is known.

    Raises:
        InvalidParameter: a name that no statement begins with.
        SolverFailed: a linear program gave no usable result.
    """
    chosen, found = selected(listed(only, "only", "a list of names")), []
    for number, statement in enumerate(chosen):
        if progress is not None:
            progress(number, len(chosen), statement)
        found.append(check_statement(statement, grid))
    return Report(tuple(found))


def _is_within(statement: Statement, case: Case) -> bool:
    return 0 <= case.deviation <= statement.tolerance.size


def _worst(cases: list[Case]) -> Case | None:
    """Return the first case with the largest deviation."""
    return max(cases, key=lambda case: case.deviation, default=None)


def _named(cases: list[Case], parameters: str) -> list[Case]:
    return [case for case in cases if case.parameters == parameters]


def _kept(case: Case) -> Case:
    """Return the case with a deviation that can be compared: one that is not a number >= 0 becomes infinite."""
    deviation = float(case.deviation)
    return Case(case.parameters, deviation if deviation >= 0 else math.inf, case.shown)
