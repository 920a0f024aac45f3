"""Errors of a plan: each says what it is about, and none says anything of the data."""

from __future__ import annotations

import pytest

from hushcount import errors
from hushcount.counting import ReadOptions
from hushcount.errors import BadData, BadUse
from hushcount.ledger import add_source
from hushcount.plan.asked import told_of
from hushcount.promise.epsilon_delta import EpsilonDelta

SECRET = "Onymous"
PEOPLE = '[sources.people]\nsource = "people.csv"\n'
TABLE = 'name = "t"\nepsilon = 0.1\nby = "age"\nkeys = [20]\n'
ROW = "20,n,p1\n"


MADE = {
    "InvalidParameter": ("epsilon", -1, "a number >= 0"),
    "NoSuchColumn": ("aeg", "age"),
    "LedgerUnusable": ("people.ledger", "is damaged"),
    "BudgetExceeded": ("too much", EpsilonDelta.of(1), EpsilonDelta.of(0)),
    "BudgetClosed": ("closed", EpsilonDelta.of(1), EpsilonDelta.of(0)),
}
KINDS = [kind for name in errors.__all__ if isinstance(kind := getattr(errors, name), type) and kind is not errors.Told]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_of_any_kind_says_what_it_is_about(kind):
    said = str(error := kind(*MADE.get(kind.__name__, ("something",))))
    with pytest.raises(kind) as caught, told_of("source 'a'", "; again"):
        raise error
    assert str(caught.value) == f"source 'a': {said}; again"


@pytest.mark.parametrize(
    ("text", "about"),
    [
        (f'[sources.people]\nsource = "files:"\n[[release]]\n{TABLE}', "source 'people'"),
        (f'{PEOPLE}unit = ""\n[[release]]\n{TABLE}', "source 'people'"),
        (f"{PEOPLE}null = ','\n[[release]]\n{TABLE}", "source 'people'"),
        (f'{PEOPLE}types = {{ age = "int" }}\n[[release]]\n{TABLE}', "source 'people'"),
        (f'[defaults]\nepsilon = -1\n{PEOPLE}[[release]]\nname = "a"\n', "release 'a': defaults"),
        (f'[defaults]\nwithin = 3\n{PEOPLE}[[release]]\nname = "a"\n', "release 'a': defaults"),
        (f'[defaults]\nepsilon = -1\n{PEOPLE}[[release]]\nname = "a"\nepsilon = -2\n', "release 'a': epsilon"),
        (f'{PEOPLE}[[release]]\nname = "a"\n', "release 'a'"),
        (f"{PEOPLE}[[release]]\n{TABLE}totals = 'none.csv'\n", "release 't'"),
        (f"{PEOPLE}[[release]]\n{TABLE}mechanism = 'none.json'\n", "release 't'"),
        (f"{PEOPLE}[[release]]\n{TABLE}where = 'nmae = 1'\n", "release 't'"),
        ('[[release]]\nname = "a"\nsource = "none.csv"\nepsilon = 1\n', "release 'a'"),
        (f'[sources.s]\nsource = "none.csv"\n[[release]]\n{TABLE}', "release 't'"),
    ],
)
def test_an_error_says_what_it_is_about(plan, text, about):
    with pytest.raises((BadUse, BadData)) as caught:
        plan(text).check()
    assert str(caught.value).startswith(f"{about}: " if ":" not in about else about)


@pytest.mark.parametrize("listed", [False, True], ids=["", "listed"])
@pytest.mark.parametrize(
    ("types", "unit", "rows"),
    [
        ({}, None, f"{SECRET},n,p1\n{ROW}"),
        ({}, None, f"20,{SECRET},p1,{SECRET}\n"),
        ({}, None, f'20,"{SECRET}\n'),
        ({}, None, f'{SECRET}"x,n,p1\n'),
        ({}, None, f"20,{SECRET}\udcff,p1\n"),
        ({"age": "integer"}, None, f"{SECRET},n,p1\n{ROW}"),
        ({}, "person", f"20,{SECRET},\n{ROW}"),
        ({"region": "text"}, "region", f"{SECRET},n,p1\n"),
    ],
)
def test_data_that_are_not_as_declared_are_told_by_no_value(plan, folder, types, unit, rows, listed):
    declared = "".join(f'types = {{ {name} = "{kind}" }}\n' for name, kind in types.items())
    declared += "" if unit is None else f'unit = "{unit}"\n'
    if listed:
        options = ReadOptions(types=types)
        add_source(folder / "people.ledger", "people", folder / "people.csv", options=options, unit=unit)
    (folder / "people.csv").write_text(f"age,region,person\n{rows}", errors="surrogateescape")
    found = plan(
        f'{"" if listed else PEOPLE + declared}[[release]]\nname = "old"\nwhere = "age >= 30"\nepsilon = 0.1\n'
        f"[[release]]\n{TABLE}{'' if unit is None else 'max_cells = 1'}\n"
    )
    with pytest.raises((BadUse, BadData)) as caught:
        found.run()
    assert str(caught.value).startswith("release '")
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None or SECRET not in str(caught.value.__cause__)


def test_a_file_that_is_no_plan_is_not_quoted(folder):
    from hushcount.plan import read_plan

    (folder / "data").write_bytes(b"age,name\n20,\xff\n")
    with pytest.raises(BadData, match=r"data is not a plan: it is not in UTF-8$"):
        read_plan(folder / "data")
    with pytest.raises(BadData) as caught:
        read_plan(folder / "people.csv")
    assert "region" not in str(caught.value)
