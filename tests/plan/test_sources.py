"""The sources of a plan: what of them is told before all is charged, and how many releases share one."""

from __future__ import annotations

import os

import pytest

from hushcount.counting.sources.csv import source as csv_source
from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.ledger import Ledger, add_source, create_budget
from hushcount.plan import carried_out, read_plan

PEOPLE = '[sources.people]\nsource = "people.csv"\n'


def history(folder):
    return Ledger(folder / "people.ledger").history("people")


def releases(*conditions):
    return "".join(
        f'[[release]]\nname = "r{at}"\nwhere = "{where}"\nepsilon = 0.1\n' for at, where in enumerate(conditions)
    )


# --- nothing is told before it is paid for ----------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["", 'unit = "person"\n'])
@pytest.mark.parametrize("types", ['{ region = "integer" }', '{ age = "boolean" }'])
def test_values_decide_no_error_before_the_charge(plan, folder, unit, types):
    """Else a check, which is free, would answer whether some value is as declared; `null` and `types` ask what one
    likes."""
    found = plan(f"{PEOPLE}{unit}types = {types}\n{releases('TRUE', 'region IS NULL', 'age IS NULL')}")
    assert found.check().is_covered
    assert history(folder) == ()
    with pytest.raises(BadData, match="does not hold"):
        found.run()
    assert len(history(folder)) == 3


def test_an_error_is_that_of_the_release_that_has_the_column(plan, folder):
    found = plan(f'{PEOPLE}types = {{ region = "integer" }}\n{releases("age > 30", "region > 1")}')
    with pytest.raises(BadData, match=r"^release 'r1': .*run the plan again"):
        found.run()
    assert [charge.state for charge in history(folder)] == ["delivered", "charged, not delivered"]


@pytest.mark.parametrize("unit", ["", 'unit = "person"\n'])
def test_a_source_that_changes_while_it_is_charged_is_an_error(plan, folder, monkeypatch, unit):
    """The receipt would tell another number of rows than there were."""
    whole = Ledger.charge_all

    def changed(*arguments):
        with (folder / "people.csv").open("a") as file:
            file.write("30,n,new\n")
        return whole(*arguments)

    monkeypatch.setattr(Ledger, "charge_all", changed)
    with pytest.raises(BadData, match=r"changed while it was read|disagree"):
        plan(f"{PEOPLE}{unit}{releases('age > 30')}").run()
    assert [charge.state for charge in history(folder)] == ["charged, not delivered"]


def test_a_parquet_file_that_changes_while_it_is_charged_is_an_error(plan, folder, monkeypatch):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"age": [1, 2, 3]}), folder / "people.parquet")
    whole = Ledger.charge_all

    def changed(*arguments):
        pq.write_table(pa.table({"age": [1, 2, 3, 4]}), folder / "people.parquet")
        return whole(*arguments)

    monkeypatch.setattr(Ledger, "charge_all", changed)
    with pytest.raises(BadData, match="changed while it was read"):
        plan(f'[sources.p]\nsource = "people.parquet"\n{releases("age > 1")}').run()


def test_a_listed_source_that_does_not_fit_any_more_costs_nothing(plan, folder):
    add_source(folder / "people.ledger", "people", folder / "people.csv")
    with (folder / "people.csv").open("a") as file:
        file.write("old,n,p1\n")
    found = plan(releases("region = 'n'"))
    for act in (found.check, found.run):
        with pytest.raises(BadData, match=r"^release 'r0': people.csv cannot be read as its columns are listed"):
            act()
    assert history(folder) == ()


def test_rows_of_one_source_are_no_keys_of_another(plan, folder):
    """A table shows its keys, and an error what is wrong with them."""
    (folder / "other.csv").write_text("region\nn\n")
    table = '[[release]]\nname = "t"\nsource = "b"\nby = "region"\nepsilon = 0.1\n'
    two = f'[sources.a]\nsource = "people.csv"\n[sources.b]\nsource = "other.csv"\n{table}'
    for what in ('keys = "people.csv"', 'totals = "./people.csv"', 'mechanism = "people.csv"\nkeys = ["n"]'):
        with pytest.raises(InvalidParameter, match="another file than the sources"):
            plan(f"{two}{what}\n")
    with pytest.raises(InvalidParameter, match="another file than the sources"):
        plan(f'{two.replace("region", "region from people.csv")}keys = ["n"]\n')


# --- one source, many releases ----------------------------------------------------------------------------------------


def test_a_csv_file_is_read_once_for_all(plan, folder, monkeypatch):
    read = []
    really = csv_source.CsvSource._read_file
    monkeypatch.setattr(csv_source.CsvSource, "_read_file", lambda *given: read.append(given) or really(*given))
    conditions = [f"age > {age}" for age in range(20, 25)] + ["region = 'n'", "person = 'p1'"]
    plan(PEOPLE + releases(*conditions)).run()
    assert len(read) == 1


def test_what_was_answered_before_is_not_read(plan, folder, monkeypatch):
    plan(f'{PEOPLE}types = {{ region = "text" }}\n{releases("age > 30")}').run()
    monkeypatch.setattr(csv_source.CsvSource, "load", lambda *_: pytest.fail("read"))
    plan(f'{PEOPLE}types = {{ region = "text" }}\n{releases("age > 30")}').run()


def test_one_file_may_be_read_in_two_ways_where_the_budget_allows_it(plan, folder):
    two = f'{PEOPLE}[sources.other]\nsource = "people.csv"\nnull = "20"\n'
    asked = "".join(
        f'[[release]]\nname = "{name}"\nsource = "{name}"\nwhere = "age IS NULL"\nepsilon = 0.1\n'
        for name in ("people", "other")
    )
    found = plan(two + asked).run()
    assert found.receipts["people"].reading != found.receipts["other"].reading
    assert len(history(folder)) == 2


def test_several_files_are_found_from_the_folder_of_the_plan(plan, folder, monkeypatch, tmp_path_factory):
    data = folder / "data"
    data.mkdir()
    for number in (1, 2):
        (data / f"{number}.csv").write_text("age\n30\n40\n")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    for text in ("files:data/*.csv", f"files:data/1.csv{os.pathsep}data/2.csv"):
        found = plan(f'[sources.s]\nsource = "{text}"\n[[release]]\nname = "a"\nepsilon = 0.1\n')
        assert found.check().is_covered
        with found.asked[0].question.open() as table:
            assert table.count_rows() == 4


def test_other_files_are_found_from_the_folder_of_the_plan(plan, folder, monkeypatch, tmp_path_factory):
    from hushcount.mechanisms import nearest
    from hushcount.saved import save_mechanism

    save_mechanism(nearest(300, 0.1), folder / "law.json")
    (folder / "law.json").rename(folder / "law")
    (folder / "regions.csv").write_text("region,part\nn,north\ns,south\n")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    found = plan(
        f'{PEOPLE}[[release]]\nname = "a"\nepsilon = 0.1\nmechanism = "law"\n'
        '[[release]]\nname = "b"\nby = "region from regions.csv"\nepsilon = 0.1\n',
        'ledger = "sqlite:///people.ledger"\nbudget = "people"\noutputs = "out"\nreport = "out/all.html"\n',
    )
    done = found.run()
    assert done.receipts["b"].names.columns == ["part"]
    assert (folder / "out" / "all.html").read_text().count("confidence set") > 1


def test_a_listed_source_is_named_by_its_path_or_its_name(plan, folder, monkeypatch, tmp_path_factory):
    data = folder / "data"
    data.mkdir()
    (folder / "people.csv").rename(data / "people.csv")
    add_source(folder / "people.ledger", "people", data / "people.csv")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    for name in ("people.csv", "data/people.csv", str(data / "people.csv")):
        found = plan(f'[[release]]\nname = "a"\nsource = "{name}"\nepsilon = 0.1\n')
        assert found.check().is_covered
    with pytest.raises(BadUse, match="source must be"):
        plan('[[release]]\nname = "a"\nsource = "other/people.csv"\nepsilon = 0.1\n')


def test_a_file_that_is_named_as_a_table_of_spark_is_a_file(folder, monkeypatch):
    (folder / "people.csv").rename(folder / "spark:people")
    (folder / "plan.toml").write_text(
        'ledger = "people.ledger"\nbudget = "people"\n[sources.s]\nsource = "./spark:people"\n'
        '[[release]]\nname = "a"\nepsilon = 0.1\n'
    )
    monkeypatch.chdir(folder)
    assert read_plan("plan.toml").check().is_covered


@pytest.mark.parametrize(
    "by",
    [
        '"age: 0-39, 40-64, 65+"',
        '["age by 20 from 0 to 100", "region"]\nkeys = ["n", "s"]',
        '"region"\nkeys = ["n", "s"]\nformat = "parquet"',
    ],
)
def test_tables_are_made_by_groups(plan, folder, by):
    found = plan(f'{PEOPLE}[[release]]\nname = "t"\nepsilon = 0.1\nby = {by}\n').run()
    assert found[0].receipt.released
    assert all(file.exists() for file in found[0].files)


# --- budgets ----------------------------------------------------------------------------------------------------------


def test_a_plan_in_mu(plan, folder):
    create_budget(folder / "mu.ledger", "people", mu=1)
    head = 'ledger = "mu.ledger"\nbudget = "people"\noutputs = "out"\n'
    asked = f'[defaults]\nmu = 0.5\n{PEOPLE}[[release]]\nname = "a"\n'
    asked += '[[release]]\nname = "b"\nwhere = "age > 30"\nrho = "1/8"\n'
    found = plan(asked, head)
    assert found.check().is_covered
    found.run()
    more = '[[release]]\nname = "c"\nwhere = "age > 40"\nmu = 0.8\n'
    bill = plan(asked + more, head).check()
    assert not bill.is_covered
    assert "mu 0.8" in str(bill)


def test_a_plan_under_tight_accounting(plan, folder):
    create_budget(folder / "tight.ledger", "people", 1, "1e-2", composition="tight")
    head = 'ledger = "tight.ledger"\nbudget = "people"\noutputs = "out"\n'
    asked = PEOPLE + releases(*(f"age > {age}" for age in range(12)))
    assert plan(asked, head).check().is_covered
    with pytest.raises(BadUse, match="price of the first"):
        plan(asked + '[[release]]\nname = "b"\nepsilon = 0.2\n', head).check()
    assert len(plan(asked, head).run()) == 12


def test_a_plan_under_add_remove(plan, folder):
    create_budget(folder / "ar.ledger", "people", 1, adjacency="add-remove")
    head = 'ledger = "ar.ledger"\nbudget = "people"\noutputs = "out"\n'
    (folder / "totals.csv").write_text("region,total\nn,200\ns,200\n")
    with pytest.raises(InvalidParameter, match=r"release 'a': max must be|release 'a': max_count must be"):
        plan(f'{PEOPLE}[[release]]\nname = "a"\nepsilon = 0.1\n', head)
    found = plan(
        f'{PEOPLE}unit = "person"\n[[release]]\nname = "a"\nepsilon = 0.1\nmax = 50\n'
        '[[release]]\nname = "t"\nepsilon = 0.1\nby = "region"\ntotals = "totals.csv"\nundeclared = "left-out"\n'
        "max_cells = 1\n",
        head,
    ).run()
    assert found.receipts["a"].maximum == 50


def test_plans_at_once_charge_once(plan, folder, monkeypatch):
    """The other one finds what was charged, and the answer that was stored first stands."""
    found, others = plan(PEOPLE + releases("age > 30", "age > 40")), []
    whole = carried_out.charged_answer

    def meanwhile(*arguments):
        if not others:
            others.append(None)
            others[0] = found.run()
        return whole(*arguments)

    monkeypatch.setattr(carried_out, "charged_answer", meanwhile)
    ours = found.run()
    assert ours.receipts == others[0].receipts
    assert len(history(folder)) == 2
