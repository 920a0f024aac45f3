"""A plan: judged from its file, billed without cost, charged at once, and never paid for twice."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from hushcount.counting.engines import duckdb
from hushcount.counting.sources import formats, kept
from hushcount.errors import BadData, BadUse, BudgetExceeded, InvalidParameter
from hushcount.ledger import Basis, Ledger, add_source, create_budget
from hushcount.optimal_set import right_where
from hushcount.plan import carried_out
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release import Receipt, Session
from hushcount.saved import save_mechanism

HEAD = 'ledger = "people.ledger"\nbudget = "people"\noutputs = "out"\n'
SOURCE = """
[sources.people]
source = "people.csv"
"""
RELEASES = """
[[release]]
name = "aged"
where = "age >= 65"
epsilon = 0.1

[[release]]
name = "regions"
by = "region"
keys = ["n", "s"]
epsilon = "1/4"
"""


@pytest.fixture
def plan(plan):
    """Write a plan and read it; the usual one if nothing is said."""
    return lambda text=SOURCE + RELEASES, head=HEAD: plan(text, head)


def ledger(folder: Path) -> Ledger:
    return Ledger(folder / "people.ledger")


# --- what is published ------------------------------------------------------------------------------------------------


def test_a_plan_is_billed_without_cost(plan, folder):
    found = plan().check()
    assert [release.name for release in found.releases] == ["aged", "regions"]
    assert [release.price for release in found.releases] == [EpsilonDelta.of("0.1"), EpsilonDelta.of("0.5")]
    assert [release.cells for release in found.releases] == [None, 3]
    assert found.bill.cost == EpsilonDelta.of("0.6")
    assert found.bill.left_after == EpsilonDelta.of("0.4")
    assert found.is_covered
    assert ledger(folder).history("people") == ()
    assert not (folder / "out").exists()
    told = str(found)
    assert "Cost        epsilon 0.6, delta 0" in told.splitlines()
    assert "Then        epsilon 0.4 and delta 0 are left" in told.splitlines()
    assert json.loads(json.dumps(found.to_dict()))["cost_epsilon"] == "0.6"


def test_a_bill_says_from_which_count_on_groups_from_the_data_are_shown(plan, folder):
    create_budget(folder / "ar.ledger", "people", 9, "0.1", adjacency="add-remove")
    head = HEAD.replace("people.ledger", "ar.ledger")
    asked = "epsilon = 1\ndelta = 1e-6\nmax = 500\n"
    text = (
        f'{SOURCE}[[release]]\nname = "groups"\nby = "region"\nkeys = "from-data"\n{asked}'
        '[[release]]\nname = "vague"\nepsilon = 1e-9\nmax = 500000000\n'
        f'[[release]]\nname = "few"\n{asked.replace("500", "3")}mechanism = "never-invented"\n'
    )
    bill = plan(text, head).check()
    groups, vague, few = (line.split() for line in str(bill).splitlines()[3:6])
    assert groups[-2:] == ["-", "-"]
    assert vague[-6:] == ["more", "than", "99.999%"] * 2
    assert few[-3:] == ["at", "most", "100%"] or few[-3:] == ["less", "than", "0.001%"]
    told = " ".join(str(bill).split())
    shown = "Release groups A true count is shown in at least 5% of releases from 12 on, 50% from 14, 95% from 16, "
    assert shown in told
    assert "Release few A true count is shown in less than 5% of releases, whatever its count is." in told
    assert bill.to_dict()["releases"][0]["shown_from"]["0.95"] == 16
    assert "shown_from" not in bill.to_dict()["releases"][1]


@pytest.mark.parametrize("keys", ["fromdata", "From_Data"])
def test_what_is_nearly_from_data_is_no_file_of_keys(plan, keys):
    text = f'{SOURCE}[[release]]\nname = "t"\nby = "region"\nkeys = "{keys}"\nepsilon = 1\n'
    with pytest.raises(InvalidParameter, match="did you mean 'from-data'"):
        plan(text)


def test_all_is_released_and_written(plan, folder):
    found = plan().run()
    assert str(found).endswith(f"\n\nThese files are in {folder / 'out'}")
    assert [release.basis for release in found] == [Basis.CHARGED] * 2
    receipt = Receipt.from_json((folder / "out" / "aged.json").read_text())
    assert receipt == found.receipts["aged"]
    assert receipt.maximum == 300
    with (folder / "out" / "regions.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["region"] for row in rows] == ["n", "s", ""]
    assert [int(row["released"]) for row in rows] == list(found.receipts["regions"].released)
    charges = ledger(folder).history("people")
    assert [charge.state for charge in charges] == ["delivered"] * 2
    assert ledger(folder).budget("people").left == EpsilonDelta.of("0.4")


def test_run_again_it_gives_the_same_and_costs_nothing(plan, folder):
    first = plan().run()
    again = plan().run()
    assert [release.basis for release in again] == [Basis.STORED] * 2
    assert again.receipts == first.receipts
    assert len(ledger(folder).history("people")) == 2
    assert plan().check().bill.cost == EpsilonDelta.of(0)


def test_only_what_is_new_is_charged(plan, folder):
    plan().run()
    more = '\n[[release]]\nname = "all"\nepsilon = 0.3\n'
    found = plan(SOURCE + RELEASES + more)
    assert found.check().bill.cost == EpsilonDelta.of("0.3")
    assert [release.basis for release in found.run()] == [Basis.STORED, Basis.STORED, Basis.CHARGED]


def test_a_session_pays_for_a_plan(plan, folder):
    with Session(folder / "people.csv", folder / "people.ledger", "people") as session:
        receipt = session.count("age >= 65", "0.1")
    found = plan().run()
    assert found[0].basis is Basis.STORED
    assert found.receipts["aged"] == receipt


def test_a_saved_mechanism_draws_in_mu_and_is_audited_first(folder, plan):
    create_budget(folder / "people.ledger", "in mu", mu=1)
    save_mechanism(right_where(5, mu="0.4", weights=[3, 1, 1, 1, 1, 2]).mechanism, folder / "own.csv", name="own")
    head, text = (
        HEAD.replace('"people"\n', '"in mu"\n', 1),
        SOURCE
        + """
        [[release]]
        name = "regions"
        by = "region"
        keys = ["n", "s"]
        max = 5
        mechanism = "own.csv"
        mu = {mu}
        """,
    )
    receipt = plan(text.format(mu="0.4"), head).run().receipts["regions"]
    assert receipt.mechanism == "audited"
    assert (receipt.audit.name, receipt.audit.least_delta) == ("own", None)
    assert receipt.audit.least_mu <= 0.4
    (folder / "people.csv").unlink()
    with pytest.raises(InvalidParameter, match=r"must be private at mu 0\.3; an audit found that it takes mu 0\.4"):
        plan(text.format(mu="0.3"), head).check()


def test_defaults_hold_where_a_release_says_nothing(plan):
    found = plan(
        """
        [defaults]
        epsilon = 0.1
        mechanism = "canonical"

        [sources.people]
        source = "people.csv"

        [[release]]
        name = "one"

        [[release]]
        name = "two"
        where = "age < 30"
        within = 5
        chance = 0.5
        mechanism = "nearest"
        """
    )
    one, two = (asked.question for asked in found.asked)
    assert (one.law.name, one.law.promise) == ("canonical", EpsilonDelta.of("0.1"))
    assert (two.law.name, two.law.aim.accuracy.within) == ("nearest", 5)
    assert found.check().releases[1].chances[5] <= 0.5


def test_a_list_of_sources_needs_no_source(folder, plan):
    add_source(folder / "people.ledger", "people", folder / "people.csv")
    found = plan(RELEASES).run()
    assert found.receipts["aged"].source == "people.csv"


def test_units_are_counted(plan):
    found = plan('[sources.people]\nsource = "people.csv"\nunit = "person"\n[[release]]\nname = "all"\nepsilon = 1\n')
    assert found.run().receipts["all"].maximum == 90


# --- what a check tells besides ---------------------------------------------------------------------------------------


def test_columns_whose_types_nobody_declared_are_named(plan, folder):
    """Values show them after the charge. Of listed sources, and of files that declare types, there are none."""
    import pyarrow.csv
    import pyarrow.parquet

    text = RELEASES + '\n[[release]]\nname = "all"\nepsilon = 0.1\n'
    found = plan(SOURCE + text).check()
    assert [release.undeclared for release in found.releases] == [("age",), ("region",), ()]
    assert "Types that only values tell: age, region in people.csv." in " ".join(str(found).split())
    assert [release["undeclared"] for release in found.to_dict()["releases"]] == [["age"], ["region"], []]
    assert plan(f'{SOURCE}types = {{ age = "integer" }}\n{text}').check().releases[0].undeclared == ()
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(folder / "people.csv"), folder / "people.parquet")
    assert "Types" not in str(plan(SOURCE.replace(".csv", ".parquet") + text).check())
    plan(SOURCE + text).run()
    assert "Types" not in str(plan(SOURCE + text).check())
    add_source(folder / "people.ledger", "people", folder / "people.csv")
    assert "Types" not in str(plan(text.replace("0.1", "0.05")).check())


def test_within_stands_beside_nearest(plan):
    """As where one count, or a table, is explained."""
    found = plan(
        """
        [defaults]
        epsilon = 0.1
        [sources.people]
        source = "people.csv"
        [[release]]
        name = "one"
        mechanism = "within:5"
        [[release]]
        name = "table"
        by = "region"
        keys = ["n", "s"]
        mechanism = "within:2"
        [[release]]
        name = "usual"
        where = "age > 30"
        """
    ).check()
    one, table, usual = found.releases
    assert usual.beside is None
    assert "beside" not in usual.to_dict()
    for release, within in ((one, 5), (table, 2)):
        chances = release.beside.chances
        assert list(chances) == [f"within:{within}", "nearest"]
        assert chances[f"within:{within}"][0] == release.chances[0]
        assert chances["nearest"][0] == usual.chances[0] < release.chances[0]
        assert json.loads(json.dumps(release.to_dict()))["beside"]["chance_off_by_more_than"].keys() == chances.keys()
    told = str(found).splitlines()
    assert [told[told.index(f"Release {name}") + 3].split()[0] for name in ("one", "table")] == ["within:5", "within:2"]
    assert "Release usual" not in told


# --- broken off -------------------------------------------------------------------------------------------------------


def test_everything_is_charged_before_anything_is_counted(plan, folder, monkeypatch):
    def stopped(*_):
        assert len(ledger(folder).history("people")) == 2
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(carried_out, "charged_answer", stopped)
        with pytest.raises(KeyboardInterrupt):
            plan().run()
    charged = ledger(folder).history("people")
    assert [charge.state for charge in charged] == ["charged, not delivered"] * 2
    found = plan().run()
    assert [release.basis for release in found] == [Basis.PAID_BEFORE] * 2
    assert [charge.number for charge in ledger(folder).history("people")] == [charge.number for charge in charged]


def test_it_goes_on_where_it_was_broken_off(plan, folder, monkeypatch):
    whole, made = carried_out.charged_answer, []

    def once(*arguments):
        if made:
            raise KeyboardInterrupt
        made.append(whole(*arguments))
        return made[0]

    with monkeypatch.context() as patch:
        patch.setattr(carried_out, "charged_answer", once)
        with pytest.raises(KeyboardInterrupt):
            plan().run()
    assert [path.name for path in sorted((folder / "out").iterdir())] == ["aged.json"]
    found = plan().run()
    assert [release.basis for release in found] == [Basis.STORED, Basis.PAID_BEFORE]
    assert found[0].receipt == made[0].receipt
    assert ledger(folder).budget("people").left == EpsilonDelta.of("0.4")


def test_what_does_not_fit_charges_nothing(plan, folder):
    found = plan(SOURCE + RELEASES + '\n[[release]]\nname = "all"\nepsilon = 0.5\n')
    bill = found.check()
    assert not bill.is_covered
    assert "The budget does not cover this plan." in str(bill)
    with pytest.raises(
        BudgetExceeded, match=r"the plan costs epsilon 1.1, delta 0, .*: epsilon 1 and delta 0 are left"
    ):
        found.run()
    assert ledger(folder).history("people") == ()
    assert list((folder / "out").iterdir()) == []


def test_bad_data_stays_charged_and_is_told_of_its_release(plan, folder):
    found = plan(SOURCE + RELEASES.replace("age >= 65", "person >= 1"))
    with pytest.raises((BadData, BadUse), match=r"^release 'aged': .*run the plan again"):
        found.run()
    assert len(ledger(folder).history("people")) == 2


# --- one source, opened once ------------------------------------------------------------------------------------------


def test_a_source_is_opened_once(plan, folder, monkeypatch):
    opened = []
    really = kept.open_source
    monkeypatch.setattr(kept, "open_source", lambda *given: opened.append(given[0].name) or really(*given))
    engines = []
    monkeypatch.setattr(formats, "_FOR_TABLES", duckdb.KeptEngine())  # which an earlier count left no engine
    connected = duckdb.DuckdbEngine.__init__
    monkeypatch.setattr(
        duckdb.DuckdbEngine, "__init__", lambda self, place: engines.append(place) or connected(self, place)
    )
    many = "".join(f'[[release]]\nname = "r{age}"\nwhere = "age >= {age}"\nepsilon = 0.01\n' for age in range(20, 40))
    found = plan(SOURCE + many + '[[release]]\nname = "t"\nby = "region"\nkeys = ["n"]\nepsilon = 0.1\n').run()
    assert len(found) == 21
    assert (opened, len(engines)) == (["people.csv"], 1)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_counts_are_those_of_single_releases(folder, plan, format):
    import pyarrow.csv
    import pyarrow.parquet

    if format == "parquet":
        pyarrow.parquet.write_table(pyarrow.csv.read_csv(folder / "people.csv"), folder / "people.parquet")
    create_budget(folder / "exact.ledger", "people", 10**6)
    conditions = ["age >= 65", "region = 'n' AND age < 30", "person LIKE 'p1%'", "TRUE", "age IS NULL"]
    many = "".join(f'[[release]]\nname = "r{at}"\nwhere = "{where}"\n' for at, where in enumerate(conditions))
    found = plan(
        f'[defaults]\nepsilon = 50000\n[sources.s]\nsource = "people.{format}"\n{many}'
        '[[release]]\nname = "table"\nby = ["region", "person"]\nkeys = [["n", "p0"], ["s", "p1"], ["x", "p1"]]\n',
        HEAD.replace("people.ledger", "exact.ledger"),
    ).run()
    with Session(folder / f"people.{format}", folder / "people.ledger", "people") as session:
        for where in conditions:
            with pytest.raises(BudgetExceeded):
                session.count(where, 50000)
    with Session(folder / f"people.{format}", folder / "exact.ledger", "people") as session:
        for at, where in enumerate(conditions):
            assert session.count(where, 50001).released == found.receipts[f"r{at}"].released
    # 300 rows, of which p0 and p1 have 4 each (0, 90, 180, 270), in one region
    assert found.receipts["table"].released == (4, 4, 0, 292)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "release: this key is missing"),
        ("release = []", "release: List should have at least 1 item"),
        ("[[release]]\nepsilon = 1", "release 1, name: this key is missing"),
        ('[[release]]\nname = "a"\nepsilom = 1', "release 'a', epsilom: there is no such key"),
        ('[[release]]\nname = "../a"\nepsilon = 1', "release '../a', name: "),
        ('[[release]]\nname = "a"\nmax = "5"\nepsilon = 1', "release 'a', max: Input should be a valid integer"),
        ('[[release]]\nname = "a"\nwhere = 5\nepsilon = 1', "release 'a', where: Input should be a valid string"),
        ("[[release]\n", "is not TOML"),
        ("[sources.people]\nunit = 'a'\n[[release]]\nname='a'\nepsilon=1", "sources, people, source: this key is"),
    ],
)
def test_a_file_that_is_no_plan_is_refused(plan, text, told):
    with pytest.raises(BadData) as caught:
        plan(text)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[release]]\nname = "a"', "release 'a': "),
        ('[[release]]\nname = "a"\nepsilon = 1\nmu = 1', "release 'a': "),
        ('[[release]]\nname = "a"\nepsilon = -1', "release 'a': epsilon must be"),
        ('[[release]]\nname = "a"\nepsilon = nan', "release 'a': epsilon must be"),
        ('[[release]]\nname = "a"\nepsilon = true', "release 'a': epsilon must be"),
        ('[[release]]\nname = "a"\nepsilon = 1\nwhere = "age >"', "release 'a': "),
        ('[[release]]\nname = "a"\nepsilon = 1\nmax = 3', "release 'a': max"),
        ('[[release]]\nname = "a"\nepsilon = 1\nkeys = ["n"]', "release 'a': keys is for a table"),
        ('[[release]]\nname = "a"\nepsilon = 1\nkeys_delimiter = ";"', "release 'a': keys_delimiter is for a table"),
        (
            '[[release]]\nname = "a"\nby = "region"\nkeys = ["n"]\nepsilon = 1\nkeys_delimiter = ";"',
            "release 'a': keys_delimiter must be left out",
        ),
        ('[[release]]\nname = "a"\nepsilon = 1\nby = "region"', "release 'a': "),
        ('[[release]]\nname = "a"\nepsilon = 1\nsource = "peopel"', "did you mean 'people'?"),
        (
            '[[release]]\nname = "a"\nepsilon = 1\n[[release]]\nname = "A"\nepsilon = 1',
            "release 'A': name must be another one",
        ),
    ],
)
def test_a_release_that_breaks_a_rule_is_named(plan, text, told):
    with pytest.raises((BadUse, BadData)) as caught:
        plan(SOURCE + text)
    assert told in str(caught.value)


def test_sources_are_told_apart(plan, folder):
    two = '[sources.a]\nsource = "people.csv"\n[sources.b]\nsource = "people.csv"\nnull = "NA"\n'
    with pytest.raises(InvalidParameter, match=r"source must be given: one of a, b"):
        plan(two + '[[release]]\nname = "r"\nepsilon = 1\n')
    with pytest.raises(BadUse, match=r"^source 'a': "):
        plan('[sources.a]\nsource = "people.csv"\ndelimitre = ";"\n[[release]]\nname = "r"\nepsilon = 1\n')


def test_files_that_are_read_are_not_written_over(plan, folder):
    (folder / "aged.json").write_text("[]")
    keys = folder / "regions.csv"
    keys.write_text("region\nn\n")
    found = plan(SOURCE + RELEASES.replace('["n", "s"]', '"regions.csv"'), HEAD.replace('"out"', '"."'))
    with pytest.raises(InvalidParameter, match=r"^release 'regions': outputs must be another file"):
        found.run()
    assert keys.read_text() == "region\nn\n"
    assert ledger(folder).history("people") == ()


def test_paths_are_relative_to_the_plan(plan, folder, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    plan().run()
    assert (folder / "out" / "aged.json").exists()


def test_progress_is_told(plan):
    told = []
    plan().run(lambda *given: told.append(given))
    assert told == [(0, 2, "aged"), (1, 2, "regions"), (2, 2, "")]
