"""Every statement of the paper, checked on a small grid; and the machinery that judges."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from hushcount.errors import InvalidParameter
from hushcount.medium import psk
from hushcount.paper import Case, Erratum, Statement, Tolerance, Verdict, check_paper, paper_statements
from hushcount.paper.formulas import canonical_matrix, inverse
from hushcount.paper.generic import SubsetProgram, entry_ranges, run_of_row, subset_excess
from hushcount.paper.grid import FULL, REDUCED
from hushcount.paper.registry import selected
from hushcount.paper.run import check_statement
from hushcount.paper.statement import largest

STATEMENTS = paper_statements()
EXACT = Tolerance(0.0, "exact")


def differences(claim, grid):
    """Of a claim about x from 0 to 4, from 2 x."""
    for x in range(5):
        yield Case(f"x = {x}", abs(claim(x) - 2 * x), f"2 x = {2 * x}")


TWICE = Statement(
    "Twice", "nowhere", "f(x) = 2 x", "2 x", lambda x: x + x, differences, EXACT, ("hushcount.nearest",), ("tests",)
)


@pytest.mark.grid
@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda each: each.name)
def test_it_holds_or_is_corrected(statement):
    found = check_statement(statement, REDUCED)
    corrected = statement.erratum is not None
    assert found.verdict is (Verdict.CORRECTED if corrected else Verdict.HOLDS), found
    assert found.cases > 0
    assert 0 <= found.deviation <= statement.tolerance.size
    assert (found.counter_example is not None) == corrected


def test_every_numbered_statement_example_and_figure_is_there():
    names = [statement.name for statement in STATEMENTS]
    assert len(set(names)) == len(names)
    wanted = ["Lemma 1", "Appendix A", "Corollary 1.1", "Example, M = 5", "Lemma 2", "Appendix D"]
    wanted += [f"Theorem 1 statement {number}" for number in range(1, 5)]
    wanted += [f"Theorem 2 statement {number}" for number in range(1, 7)]
    wanted += ["Corollary 2.1", "u0", "u1", "u2", "u3", "Proposition 1", "Fig. 1", "Fig. 2"]
    for name in wanted:
        assert selected([name])
    elsewhere = {3, 4, 8, 14, 15, 16}  # in the locators of (5) and (11); the text has no (8)
    said = [f"{statement.name} {statement.formula}" for statement in STATEMENTS]
    for number in set(range(1, 52)) - elsewhere:
        assert any(re.search(rf"\({number}\)", text) for text in said), number


def test_what_is_known_to_need_correction():
    assert [each.name for each in STATEMENTS if each.erratum is not None] == [
        "Appendix A, even M",
        "Theorem 1 statement 2 proof",
        "Appendix B, proof of (13)",
        "Example, M = 5",
        "Corollary 2.1",
        "u1 (37)",
        "u3 (46)",
        "Proposition 1 (47)",
    ]


@pytest.mark.slow
def test_u3_as_printed_falls_below_the_optimum():
    """The numbers of the erratum, from a table of their own."""
    found = check_paper(["u3"], grid=REDUCED)["u3 (46)"]
    assert found.counter_example.parameters == "8-PSK, Es/N0 = 0.0 dB (Eb/N0 = -4.7712 dB), epsilon = 2, delta = 0"
    assert "u = 0.5133175873 is below p_e*(T) >= 0.5769055773" in found.counter_example.shown


@pytest.mark.slow
def test_u1_as_printed_falls_below_the_optimum():
    found = check_paper(["u1"], grid=REDUCED)["u1 (37)"]
    assert found.counter_example.parameters == "8-PSK, Es/N0 = 10.0 dB (Eb/N0 = 5.2288 dB), epsilon = 1, delta = 0"
    assert "is below p_e*(T) >= 0.5292609564" in found.counter_example.shown


def test_the_example_as_printed_is_of_full_rank():
    found = check_paper(["Example"], grid=REDUCED)["Example, M = 5"]
    assert "determinant -1.9e-11" in found.counter_example.shown


def test_u2_depends_on_the_choice_of_v_where_that_is_not_unique():
    """The numbers of its remark: cosines at any angle are singular vectors of a symmetric circulant matrix."""
    T, P, place = psk(8, es_n0_db=0).shares, canonical_matrix(8, 1, 0), 2 * np.pi * np.arange(8) / 8
    values = []
    for angle in (0, np.pi / 16, np.pi / 8):
        v = np.cos(place + angle) / 2
        A, B = -np.outer(T.T @ v, v), -inverse(P) @ np.outer(T.T @ v, v @ T)
        theta = min((start[fall > 1e-14] / fall[fall > 1e-14]).min() for start, fall in ((P, A), (T, B)))
        G = P - theta * A
        assert G.min() > -1e-15
        assert subset_excess(G @ T, 1) <= 0
        values.append(1 - np.diagonal(G @ T).min())
    assert values == sorted(values, reverse=True)
    assert [round(value, 5) for value in (values[0], values[2])] == [0.71894, 0.71792]
    assert math.isclose(values[0], 1 - np.diagonal(P @ T).min(), rel_tol=1e-12)


@pytest.mark.slow
def test_results_do_not_depend_on_what_was_checked_before():
    names = ["Theorem 1 statement 3", "Lemma 2"]
    alone = [check_paper([name], grid=REDUCED).statements for name in names]
    entry_ranges.cache_clear()
    together = check_paper(names, grid=REDUCED).statements
    assert [found.to_dict() for part in alone for found in part] == [found.to_dict() for found in together]


def test_the_full_grid_has_the_reduced_one_s_examples():
    assert {0.0, 10.0} <= set(FULL.decibels) & set(REDUCED.decibels)
    assert 2.0 in FULL.epsilons
    assert len(FULL.decibels) >= 5
    assert (min(FULL.decibels), max(FULL.decibels)) == (0, 20)


# --- the judge -------------------------------------------------------------------------------------------------------


def test_holds():
    found = check_statement(TWICE)
    assert (found.verdict, found.cases, found.deviation) == (Verdict.HOLDS, 5, 0.0)


def test_fails_by_the_worst_case():
    found = check_statement(replace(TWICE, claim=lambda x: x**2))
    assert found.verdict is Verdict.FAILS
    assert found.worst == Case("x = 4", 8.0, "2 x = 8")


@pytest.mark.parametrize("deviation", [math.nan, math.inf, -1e-9])
def test_what_is_no_number_from_0_on_fails(deviation):
    found = check_statement(replace(TWICE, check=lambda claim, grid: iter([Case("x", deviation)])))
    assert found.verdict is Verdict.FAILS
    assert found.to_dict()["largest_deviation"] is None


def test_what_is_not_a_number_is_not_passed_over():
    assert largest() == largest(-1.0) == 0.0
    assert largest(-1, 3, 2) == 3
    for several in ([0.0, math.nan], [math.nan, 0.0], [1.0, math.nan, 2.0]):
        assert math.isnan(largest(*several))


def test_of_no_mechanism_at_all_nothing_is_said():
    """Whatever is claimed of all optima would be true of an empty set."""
    assert SubsetProgram(4, 0.5, 0.0, diagonal=0.9).range(run_of_row(4, 0, 1, 1)) == (-math.inf, math.inf)


def test_ends_the_wrong_way_round_say_nothing(monkeypatch):
    monkeypatch.setattr(SubsetProgram, "lowest", lambda self, gain: 0.5)
    assert SubsetProgram(3, 0.5, 0.0).range(np.eye(3)) == (-math.inf, math.inf)


def test_no_case_fails():
    found = check_statement(replace(TWICE, check=lambda claim, grid: iter([])))
    assert (found.verdict, found.cases, found.worst) == (Verdict.FAILS, 0, None)


def test_a_correction_has_to_be_needed():
    wrong = Erratum("f(x) = x^2", "f(x) = 2 x.", lambda x: x**2)
    found = check_statement(replace(TWICE, erratum=wrong))
    assert found.verdict is Verdict.CORRECTED
    assert found.counter_example.parameters == "x = 4"
    shown = check_statement(replace(TWICE, erratum=replace(wrong, example="x = 1"))).counter_example
    assert shown.parameters == "x = 1"
    right = replace(wrong, claim=lambda x: 2 * x)
    assert check_statement(replace(TWICE, erratum=right)).verdict is Verdict.NOT_SHOWN
    both = replace(TWICE, claim=lambda x: 3 * x, erratum=wrong)
    assert check_statement(both).verdict is Verdict.FAILS


def test_an_example_that_does_not_contradict_shows_nothing():
    """x^2 = 2 x at 2: as an example it is none."""
    wrong = Erratum("f(x) = x^2", "f(x) = 2 x.", lambda x: x**2, "x = 2")
    assert check_statement(replace(TWICE, erratum=wrong)).verdict is Verdict.NOT_SHOWN


@pytest.mark.parametrize(
    ("names", "count"),
    [(["Theorem 2"], 7), (["theorem 1 STATEMENT"], 7), (["u"], 0), (["u3"], 1), (["Fig. 1", "u3", "Fig. 1"], 2)],
)
def test_selection(names, count):
    if not count:
        with pytest.raises(InvalidParameter, match="begins, such as"):
            selected(names)
        return
    chosen = selected(names)
    assert len(chosen) == count
    assert list(chosen) == [statement for statement in STATEMENTS if statement in chosen]


@pytest.mark.parametrize("bad", [["Theorem 3"], [""], [" "], ["Fig. 10"], [3], "Theorem 1", None])
def test_bad_selection(bad):
    with pytest.raises(InvalidParameter, match=r"^only must be"):
        check_paper(bad, grid=REDUCED)


def test_progress_is_told_before_each():
    told = []
    check_paper(["Appendix A"], grid=REDUCED, progress=lambda *what: told.append(what[:2]))
    assert told == [(0, 3), (1, 3), (2, 3)]
