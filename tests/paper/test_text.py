"""The table that `hushcount paper` prints."""

from dataclasses import replace

import pytest

from hushcount.paper import Case, Erratum, Report, Statement, Tolerance, check_paper
from hushcount.paper.grid import REDUCED
from hushcount.paper.run import check_statement
from hushcount.paper.text import report_text

pytestmark = pytest.mark.slow

WRONG = Statement(
    "Wrong",
    "nowhere",
    "1 = 2",
    "counting",
    lambda: 1,
    lambda claim, grid: iter([Case("x = 1", 2 - claim(), "2 and 1")]),
    Tolerance(0.0, "exact"),
    ("hushcount.nearest",),
    ("tests",),
)


def text_of(*statements, width=80):
    return report_text(Report(tuple(check_statement(each, REDUCED) for each in statements)), width)


@pytest.fixture(scope="module")
def report():
    return check_paper(["Appendix A", "Example", "(18)", "Theorem 2 statement"], grid=REDUCED)


@pytest.mark.parametrize(("asked", "width"), [(20, 80), (80, 80), (97, 97), (120, 120), (500, 120)])
def test_no_line_is_wider_than_the_terminal(report, asked, width):
    lines = report_text(report, asked).splitlines()
    assert max(map(len, lines)) == width
    assert all(line == line.rstrip() for line in lines)


def test_each_statement_has_a_row_and_each_correction_a_counter_example(report):
    lines = report_text(report, 120).splitlines()
    for found in report.statements:
        (row,) = [line for line in lines if line.startswith(f"{found.statement.name}  ")]
        assert str(found.cases) in row.split()
    told, cases = report_text(report, 120), sum(found.cases for found in report.statements)
    assert told.count("corrected\n") == told.count("Counter-example:") == 2
    assert "are never reached" in told
    assert told.endswith(f"12 statements in {cases:,} cases: 10 hold as printed, 2 once corrected, 0 fail.")


def test_one_statement_holds():
    assert text_of(replace(WRONG, claim=lambda: 2)).endswith(
        "1 statement in 1 case: 1 holds as printed, 0 once corrected, 0 fail."
    )


def test_a_failure_says_where():
    told = text_of(WRONG)
    assert "FAILS" in told
    assert "- Wrong: 1 = 2. x = 1: 2 and 1, deviation 1.0e+00." in told
    assert told.endswith("1 statement in 1 case: 0 hold as printed, 0 once corrected, 1 fails.")


def test_no_case_and_a_correction_that_is_not_needed_are_failures():
    nothing = replace(WRONG, check=lambda claim, grid: iter([]))
    right = replace(WRONG, claim=lambda: 2, erratum=Erratum("1 = 3", "It is 2.", lambda: 2))
    assert "there is no case, deviation none." in text_of(nothing)
    told = text_of(right)
    assert "not shown" in told
    assert "- Wrong: what is printed (1 = 3) failed nowhere." in told
    assert told.endswith("0 hold as printed, 0 once corrected, 1 fails.")
