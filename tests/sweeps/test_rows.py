"""A row says what the library says at its point."""

import re
from dataclasses import astuple, fields
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

import hushcount
from hushcount import audit, compare, nearest
from hushcount.errors import SolverFailed
from hushcount.mechanisms.by_name import MECHANISMS
from hushcount.medium import Basis, Verdict, bounds, is_lossless, optimum
from hushcount.medium.channels.by_name import MEDIA
from hushcount.numbers.exact import exact, exact_text
from hushcount.privacy import AuditVerdict
from hushcount.sweeps import MechanismPoint, mechanism_grid, medium_grid
from hushcount.sweeps.columns import is_row
from hushcount.sweeps.mechanism_row import MechanismRow, error_interval
from hushcount.sweeps.medium_row import MediumRow
from hushcount.sweeps.mu_row import MuRow

CASES = [
    ("psk", 7, {"es_n0_db": "10"}, "2", "0"),
    ("psk", 7, {"es_n0_db": "0"}, "2", "1e-6"),
    ("psk", 1, {"es_n0_db": "inf"}, "0", "0"),
    ("psk", 4, {"eb_n0_db": "5/2", "fading": "rayleigh"}, "1/3", "0"),
    ("pam", 3, {"es_n0_db": "5"}, "1", "0"),
    ("qam", 15, {"es_n0_db": "12", "labels": "gray"}, "1", "0"),
    ("fsk", 3, {"es_n0_db": "6", "coherent": False}, "1", "0"),
    ("binary-symmetric", 3, {"p": "0.05", "labels": "gray"}, "1", "0"),
    ("binary-erasure", 1, {"p": "1/10"}, "40", "0"),
    ("z-channel", 3, {"p": "0.1"}, "1", "0"),
    ("symmetric", 4, {"p": "0.1"}, "1", "0.5"),
    ("rounding", 5, {"multiple": 2, "to": "below"}, "1", "0"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "n", "given", "epsilon", "delta"), CASES, ids=str)
def test_a_row_behind_a_medium_is_what_the_library_says(kind, n, given, epsilon, delta):
    (point,) = medium_grid(kind, n, epsilon, delta, **given)
    row = point.row()
    numbers = {name: float("inf") if value == "inf" else value for name, value in given.items()}
    size = {"bits": n.bit_length()} if kind.startswith(("binary", "z")) else {"order": n + 1}
    T = MEDIA[kind](**size, **numbers)
    best, verdict = optimum(T, epsilon, delta), is_lossless(T, epsilon, delta)
    assert (row.lower, row.upper, row.absolute_error) == (best.lower, best.upper, best.absolute_error)
    assert row.basis == best.basis.name
    assert (row.verdict, row.decided_by, row.gap) == (verdict.verdict.name, verdict.decided_by, verdict.gap)
    known = {bound.name: bound.value for bound in bounds(T, epsilon, delta)}
    assert {name: getattr(row, name) for name in known} == known
    uppers = {name: value for name, value in known.items() if name != "l" and value is not None}
    assert row.least_bound == min(uppers.values()) == uppers[row.least_bound_name]
    assert row.medium_error_probability == T.error_probability
    assert Fraction(row.width) >= Fraction(row.upper) - Fraction(row.lower)
    assert row.point == point
    assert row.hushcount_version == hushcount.__version__


def test_floats_beside_exact_texts():
    (point,) = medium_grid("psk", 1, "1e-400", "1/3", es_n0_db="-1/3")
    row = point.row()
    assert (row.epsilon, row.epsilon_float) == ("1e-400", 0.0)
    assert (row.delta, row.delta_float) == ("1/3", 1 / 3)
    assert (row.es_n0_db, row.es_n0_db_float) == ("-1/3", -1 / 3)
    assert row.eb_n0_db is row.eb_n0_db_float is row.p is None


def test_a_search_that_fails_leaves_the_rest_of_the_row(monkeypatch):
    (point,) = medium_grid("psk", 3, 1, 0, es_n0_db=0)
    whole = point.row()

    def fails(*_):
        raise SolverFailed("no vertex")

    monkeypatch.setattr("hushcount.sweeps.medium_row.Behind.losslessness", property(fails))
    row = point.row()
    assert (row.verdict, row.decided_by, row.gap) == ("SOLVER_FAILED", "no vertex", None)
    assert (row.lower, row.upper) == (whole.lower, whole.upper)


@settings(max_examples=25)
@given(
    n=st.integers(1, 5),
    snr=st.integers(-10, 30),
    epsilon=st.fractions(0, 8, max_denominator=100),
    delta=st.fractions(0, "9/10", max_denominator=1000),
)
def test_lower_is_never_above_upper(n, snr, epsilon, delta):
    (point,) = medium_grid("psk", n, epsilon, delta, es_n0_db=snr)
    row = point.row()
    assert 0 <= row.without_medium_lower <= row.lower <= min(row.upper, row.least_bound)
    assert max(row.upper, row.least_bound) <= 1
    assert row.l <= row.upper
    assert row.width <= 1e-9
    assert is_row(astuple(row), MediumRow)


@pytest.mark.slow
@pytest.mark.parametrize("delta", ["0", "0.01"])
@pytest.mark.parametrize("n", [0, 1, 6])
def test_a_row_of_a_mechanism_is_what_compare_says(n, delta):
    told = {row.mechanism: row for row in compare(n, "0.7", delta)}
    for point in mechanism_grid(None, n, "0.7", delta):
        row, other = point.row(), told[point.mechanism]
        assert row.lower <= other.worst_error_probability * (1 + 1e-15)
        assert other.worst_error_probability <= row.upper * (1 + 1e-15)
        assert row.upper - row.lower <= 2.3e-16 * row.upper
        assert (row.absolute_error, row.bias, row.within_1) == (
            other.worst_absolute_error,
            other.worst_bias,
            other.within_1,
        )
        assert row.verdict == other.verdict.name
        assert (row.needs_epsilon_lower, row.needs_epsilon_upper) == (
            other.least_epsilon.lower,
            other.least_epsilon.upper,
        )
        assert (row.needs_delta_lower, row.needs_delta_upper) == (other.least_delta.lower, other.least_delta.upper)
        assert row.point == point
        assert is_row(astuple(row), MechanismRow)
        if row.verdict == "PRIVATE":
            assert row.least_lower <= row.upper


@pytest.mark.parametrize("n", [0, 1, 6])
@pytest.mark.parametrize("given", [{"mu": "0.7"}, {"rho": "1/3"}, {"mu": "1e-7"}], ids=str)
def test_a_row_in_mu_is_what_compare_says(n, given):
    told = {row.mechanism: row for row in compare(n, **given)}
    grid = mechanism_grid(None, n, **given)
    assert {point.mechanism for point in grid} == set(told)
    assert len(grid) == len(told)
    for point in grid:
        row, other = point.row(), told[point.mechanism]
        assert row.lower <= other.worst_error_probability * (1 + 1e-15)
        assert other.worst_error_probability <= row.upper * (1 + 1e-15)
        measured = other.worst_absolute_error, other.worst_bias, other.within_1
        assert (row.absolute_error, row.bias, row.within_1) == measured
        assert (row.needs_mu_lower, row.needs_mu_upper) == (other.least_mu.lower, other.least_mu.upper)
        assert row.verdict == other.verdict.name
        assert row.mu_float**2 == pytest.approx(2 * row.rho_float, rel=1e-15)
        assert {name: getattr(row, name) for name in ("mu", "rho")} == {"mu": None, "rho": None} | {
            name: exact_text(exact(text)) for name, text in given.items()
        }
        assert row.point == point
        assert is_row(astuple(row), MuRow)
        if row.verdict == "PRIVATE":
            assert row.least_lower <= row.upper
        if row.mechanism == "nearest":
            assert row.least_lower <= row.lower <= row.upper <= row.least_upper + 1e-15


def test_mu_at_the_ends():
    """Where nothing is protected, and where everything is."""
    for n in (0, 1, 5):
        for mu in ("1e-300", "1000"):
            for point in mechanism_grid(None, n, mu=mu):
                row = point.row()
                assert 0 <= row.lower <= row.upper <= 1
                assert is_row(astuple(row), MuRow)


def test_the_optimum_is_its_own_least():
    row = MechanismPoint("nearest", 7, "0.1", "0").row()
    assert (row.lower, row.upper) == (row.least_lower, row.least_upper)
    assert row.lower <= 0.8484640198558126 <= row.upper


def test_a_mechanism_that_promises_too_much_is_shown():
    row = MechanismPoint("redrawn-geometric", 3, "1", "0").row()
    assert row.verdict == "NOT_PRIVATE"
    assert row.needs_epsilon_lower > 1
    assert audit(MECHANISMS["redrawn-geometric"](3, 1, 0), epsilon=1).verdict.name == "NOT_PRIVATE"


def test_the_error_interval_is_rigorous():
    interval = error_interval(nearest(1, 0))
    assert interval.exact_lower == interval.exact_upper == Fraction(1, 2)
    assert error_interval(nearest(0, 1)).exact_upper == 0
    tiny = error_interval(nearest(3, 800))
    assert 0 <= tiny.lower <= tiny.upper <= 5e-324


def documented(heading):
    """Column -> what docs/sweeps.md says that it means, in the order of the table under a heading."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "sweeps.md").read_text(encoding="utf-8")
    _, _, below = page.partition(f"\n## {heading}\n")
    rows = [line.split(" | ") for line in below.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    bounds = [f"u{number}" for number in range(6)]
    found = {}
    for names, _, meaning in rows:
        for name in bounds if "..." in names else re.findall(r"`(\w+)`", names):
            found[name] = meaning
    return found


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("Columns behind a medium", MediumRow),
        ("Columns of mechanisms", MechanismRow),
        ("Columns of mechanisms in mu", MuRow),
    ],
)
def test_the_page_has_every_column(heading, row):
    assert set(documented(heading)) == {field.name for field in fields(row)}


@pytest.mark.parametrize(
    ("heading", "column", "names"),
    [
        ("Columns behind a medium", "basis", [basis.name for basis in Basis]),
        ("Columns behind a medium", "verdict", [*(verdict.name for verdict in Verdict), "SOLVER_FAILED"]),
        ("Columns of mechanisms", "verdict", [verdict.name for verdict in AuditVerdict]),
        ("Columns of mechanisms in mu", "verdict", [verdict.name for verdict in AuditVerdict]),
    ],
)
def test_the_page_has_every_name_that_a_column_can_hold(heading, column, names):
    assert re.findall(r"`([A-Z_]+)`", documented(heading)[column]) == names
