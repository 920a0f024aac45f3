"""`hushcount interpret`: receipts in files, priors in files, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from fractions import Fraction

import pytest
from receipts import receipt_of, table_receipt_of, without_keys

import hushcount
from hushcount import Receipt, TableReceipt, interpret, interpret_table, save_mechanism
from hushcount.reading import Publication, at_least

MATRIX = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]


@pytest.fixture
def write(tmp_path):
    """Writes a receipt, or a text, and gives back its path."""
    numbers = iter(range(100))

    def write(content):
        path = tmp_path / f"file{next(numbers)}"
        path.write_text(content if isinstance(content, str) else content.to_json(), encoding="utf-8")
        return path

    return write


def test_text(run, write):
    receipt = receipt_of("nearest", 100, "0.5", released=7)
    text = run("interpret", write(receipt)).succeeds()
    assert text == f"{interpret(receipt)}\n"
    assert "\n  95% confidence set    2 to 13\n" in text
    assert "it took no data and no privacy\n  budget.\n" in text


def test_json(run, write):
    receipt = receipt_of("canonical", 100, "0.5", "1e-6", released=7)
    out = run("interpret", write(receipt), "--level", "0.9", "--prior", "uniform", "--json").succeeds()
    found = interpret(receipt, level="0.9", prior="uniform")
    assert json.loads(out) == {**found.to_dict(), "hushcount_version": hushcount.__version__}


def test_a_receipt_as_release_writes_it(run, tmp_path):
    table, receipt = tmp_path / "people.csv", tmp_path / "receipt.json"
    table.write_text("age\n" + "70\n" * 30 + "20\n" * 20, encoding="utf-8")
    run("release", table, "--where", "age >= 65", "--epsilon", 2, "--output", receipt).succeeds()
    table.unlink()
    text = run("interpret", receipt).succeeds()
    assert text.startswith(f"Released count: {Receipt.from_json(receipt.read_text()).released}\n")


@pytest.mark.slow
def test_nothing_is_read_but_the_receipt(write):
    """No engine, no ledger."""
    path = write(receipt_of("nearest", 100, "0.5", released=7))
    program = f"import sys; from hushcount.cli import main; main(['interpret', {str(path)!r}]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"duckdb", "pyarrow", "sqlite3", "psycopg", "matplotlib"} & set(done.stdout.split())


# --- at least so many, and rules for what is shown --------------------------------------------------------------------


def test_at_least(run, write, tmp_path):
    receipt = receipt_of("nearest", 500, "0.5", released=112)
    path = write(receipt)
    assert run("interpret", path, "--at-least", 100).succeeds() == f"{at_least(receipt, 100)}\n"
    out = run("interpret", path, "--at-least", 111, "--false-alarm", "1e-3", "--json").succeeds()
    found = at_least(receipt, 111, false_alarm="1e-3").to_dict()
    assert json.loads(out) == {**found, "hushcount_version": hushcount.__version__}
    assert found["at_least"] is False


def test_at_least_for_each_cell(run, write, tmp_path):
    receipt, output = table_receipt_of(["city"], ["a", "b"], [20, 3], 50), tmp_path / "answers.csv"
    path = write(receipt)
    text = run("interpret", "--cells", path, "--at-least", 10, "--together", "--output", output).succeeds()
    assert text == f"{at_least(receipt, 10, simultaneous=True)}\n"
    assert [line["at_least"] for line in csv.DictReader(io.StringIO(output.read_text()))] == ["true", "false"]


def test_rules_for_what_is_shown(run, write, tmp_path):
    receipt, output = table_receipt_of(["city"], ["a", "b", "c"], [21, 3, 14], 50), tmp_path / "cells.csv"
    rules = ("--suppress-below", 10, "--widest", 4, "--round", 5, "--output", output)
    text = run("interpret", "--cells", write(receipt), *rules).succeeds()
    rule = Publication(suppress_below=10, widest=4, round_to=5)
    assert text == f"{interpret_table(receipt, level='0.95', publication=rule)}\n"
    rows = list(csv.DictReader(io.StringIO(output.read_text())))
    assert [(row["rounded"], row["mark"]) for row in rows] == [("20", "wide"), ("", "suppressed"), ("15", "wide")]
    keyless = run("interpret", "--cells", write(without_keys(receipt)), *rules).succeeds()
    assert "suppressed" in keyless
    assert output.read_text().startswith('"cell","is_other","maximum"') or "suppressed" in output.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--at-least", 5, "--level", "0.9"), "--at-least is a question of its own"),
        (("--at-least", 5, "--prior", "uniform"), "--at-least is a question of its own"),
        (("--cells", "--at-least", 5, "--round", 5), "--at-least is a question of its own"),
        (("--at-least", 5, "--together"), "--together is for the cells of a table"),
        (("--at-least", 5, "--output", "x.csv"), "--output is for the cells of a table"),
        (("--at-least", -1), "at-least"),
        (("--at-least", 5, "--false-alarm", 2), "false-alarm"),
        (("--false-alarm", "0.1"), "--false-alarm is for --at-least"),
        (("--round", 5), "--round is for the cells of a table"),
        (("--suppress-below", 5), "--suppress-below is for the cells of a table"),
        (("--cells", "--widest", -1), "widest"),
    ],
)
def test_options_that_do_not_fit(run, write, options, message):
    assert message in run("interpret", write(receipt_of("nearest", 9, 1, released=4)), *options).fails_with(2)


# --- priors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "prior"),
    [
        ("1\n2\n0.5\n0\n", [1, 2, 0.5, 0]),
        ("count,weight\n0,1\n3,2.5\n", {0: 1, 3: 2.5}),
        ("3, 2.5\n0, 1\n", {0: 1, 3: 2.5}),
    ],
)
def test_prior_files(run, write, text, prior):
    receipt = receipt_of("nearest", 3, "0.5", released=1)
    out = run("interpret", write(receipt), "--prior", write(text), "--json").succeeds()
    assert json.loads(out)["posterior"] == interpret(receipt, prior=prior).to_dict()["posterior"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold weights, one a line, or lines of a count and its weight"),
        ("1,2,3\n", "must hold weights"),
        ("1.5,2\n", "line 1 must begin with a count"),
        ("-1,2\n", "line 1 must begin with a count"),
        ("1e15,2\n", "line 1 must begin with a count"),
        ("1,2\n1,3\n", "line 2 gives 1 a weight again"),
        ("1\nx\n", "line 2 holds something that is not a number"),
    ],
)
def test_files_that_are_no_prior(run, write, text, message):
    path = write(text)
    error = run("interpret", write(receipt_of("nearest", 3, 1, released=1)), "--prior", path).fails_with(3)
    assert error.startswith(f"{path}: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n2\n", r"--prior must be 4 weights, one for each count (got (2,))"),
        ("7,1\n", "a count of prior must be from 0 to n = 3 (got 7)"),
        ("0,-1\n", "the prior's weight of 0 must be a finite number >= 0 (got -1.0)"),
        ("0,0\n", "the prior gives no count a weight"),
    ],
)
def test_priors_that_do_not_fit(run, write, text, message):
    receipt = write(receipt_of("nearest", 3, 1, released=1))
    assert run("interpret", receipt, "--prior", write(text)).fails_with(2) == message


# --- audited mechanisms -----------------------------------------------------------------------------------------------


def test_mechanism_file(run, write, tmp_path):
    path = tmp_path / "m.csv"
    saved = save_mechanism(MATRIX, path, epsilon="0.7", name="three answers")
    receipt = receipt_of(saved, 2, "0.7", released=1)
    text = run("interpret", write(receipt), "--mechanism", path).succeeds()
    assert "\nMechanism   three answers (audited)\n" in text
    assert "\n  95% confidence set    0 to 2\n" in text
    error = run("interpret", write(receipt)).fails_with(2)
    assert error == "--mechanism must be given: the receipt is of one that the user supplied, three answers"
    together = run("interpret", "--cells", write(receipt), "--mechanism", path, "--json").succeeds()
    assert json.loads(together)["released_sum"] == 1


def test_another_mechanism_file(run, write, tmp_path):
    path = tmp_path / "m.json"
    saved = save_mechanism(MATRIX, path, epsilon="0.7")
    receipt = write(receipt_of(saved, 2, "0.7", released=1))
    save_mechanism([MATRIX[1], MATRIX[0], MATRIX[2]], path, epsilon="0.7")
    error = run("interpret", receipt, "--mechanism", path).fails_with(2)
    assert error.startswith(f"--mechanism must be the one of the receipt, explicit (SHA-256 {saved.sha256})")
    proven = write(receipt_of("nearest", 2, 1, released=1))
    error = run("interpret", proven, "--mechanism", path).fails_with(2)
    assert error == "a mechanism is needed for an audited one only; the receipt names nearest"
    assert "m.csv" in run("interpret", proven, "--mechanism", tmp_path / "m.csv").fails_with(3)


# --- tables -----------------------------------------------------------------------------------------------------------


def test_table(run, write):
    receipts = [receipt_of("canonical", 5, 1, released=j) for j in (1, 1, 4)]
    paths = [write(receipt) for receipt in receipts]
    assert run("interpret", "--cells", *paths).succeeds() == f"{interpret_table(receipts)}\n"
    out = run("interpret", *paths, "--cells", "--json").succeeds()
    assert json.loads(out) == {**interpret_table(receipts).to_dict(), "hushcount_version": hushcount.__version__}


def test_mixed_table(run, write):
    paths = [write(receipt_of("canonical", 5, epsilon, released=1)) for epsilon in (1, 2)]
    error = run("interpret", "--cells", *paths).fails_with(2)
    assert error == "the releases of a table must be alike, but epsilon is 1 in the first receipt and 2 in receipt 2"


def test_prior_is_for_one_receipt(run, write):
    path = write(receipt_of("nearest", 5, 1, released=1))
    error = run("interpret", "--cells", path, "--prior", "uniform").fails_with(2)
    assert error == "--prior is for one receipt, without --cells"


@pytest.mark.parametrize("option", [("--together",), ("--output", "cells.csv")], ids=lambda option: option[0])
def test_options_of_a_table(run, write, option):
    error = run("interpret", write(receipt_of("nearest", 5, 1, released=1)), *option).fails_with(2)
    assert error == f"{option[0]} is for the cells of a table, with --cells"


@pytest.fixture
def people(run, tmp_path):
    """The receipt of a table of 43 cells in which a row is in one, and --output of it."""
    (tmp_path / "people.csv").write_text("cell\n" + "7\n" * 20, encoding="utf-8")
    (tmp_path / "keys.csv").write_text("cell\n" + "".join(f"{cell}\n" for cell in range(43)), encoding="utf-8")
    receipt, output = tmp_path / "wc.json", tmp_path / "wc.csv"
    run(
        *("table", tmp_path / "people.csv", "--by", "cell", "--keys", tmp_path / "keys.csv", "--epsilon", "0.5"),
        *("--undeclared", "left-out", "--output", output, "--receipt", receipt),
    ).succeeds()
    return receipt, output


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--level", "0.99"), ("--level", "0.99", "--together"), ("--together",)])
def test_confidence_sets_of_a_table(run, people, tmp_path, words):
    path, output = people[0], tmp_path / "cells.csv"
    shown = run("interpret", "--cells", path, *words, "--output", output).succeeds()
    level = "0.99" if "--level" in words else "0.95"
    receipt = TableReceipt.from_json(path.read_text(encoding="utf-8"))
    found = interpret_table(receipt, level=level, simultaneous="--together" in words)
    assert shown == f"{found}\n"
    old = tmp_path / "old.json"
    old.write_text(without_keys(receipt).to_json())
    assert run("interpret", "--cells", old, *words, "--output", tmp_path / "old.csv").code == 0
    lines = (tmp_path / "old.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "cell,released,maximum,lower,upper,confidence_set,most_likely"
    assert [line.split(",")[:3] for line in lines[1:]] == [
        [str(cell), str(released), "20"] for cell, released in enumerate(receipt.released, 1)
    ]
    keyed = list(csv.DictReader(io.StringIO(output.read_text(encoding="utf-8"))))
    assert [row.pop("is_other") for row in keyed] == ["false"] * len(keyed)
    assert [row.pop(receipt.by[0]) for row in keyed] == list(receipt.keys[0].spelled)
    assert [",".join(row.values()) for row in keyed] == [line.partition(",")[2] for line in lines[1:]]
    at = str(1 - (1 - Fraction(level)) / 43) if "--together" in words else level
    for line, released in zip(lines[1:], receipt.released, strict=True):
        alone = interpret(receipt_of("nearest", 20, "0.5", released=released), level=at)
        ((first, last),) = alone.confidence_set
        assert line.split(",")[3:6] == [str(first), str(last), f"{first}-{last}"]
    out = run("interpret", "--cells", path, "--json", *words).succeeds()
    sets = json.loads(out)["cells"]
    assert (sets is None) == (words == ())
    assert sets is None or sets == found.cells.to_dict()


def test_outputs_that_cannot_be(run, people, tmp_path):
    path, output = people
    words = ("interpret", "--cells", path, "--output")
    assert run(*words, path).fails_with(2).startswith("--output must be a file whose name ends in .csv")
    assert "in a folder that exists" in run(*words, tmp_path / "none" / "x.csv").fails_with(2)
    copy = path.rename(tmp_path / "receipt.csv")
    error = run("interpret", "--cells", copy, "--output", copy).fails_with(2)
    assert error.startswith("--output must be another file than those that are read")
    assert run("interpret", "--cells", copy, "--level", "2", "--output", output).fails_with(2).startswith("--level")


def test_output_of_a_table_is_not_its_receipt(run, people):
    _, output = people
    for words in (("interpret", output), ("interpret", "--cells", output)):
        assert run(*words).fails_with(3) == (
            f"{output}: not a receipt: what `hushcount table --output` writes is none, --receipt FILE writes it"
        )


def test_one_table_at_a_time(run, people):
    receipt, _ = people
    error = run("interpret", "--cells", receipt, receipt).fails_with(2)
    assert error == f"{receipt} is the receipt of a table: one table is read at a time (got 2 receipts)"
    assert run("interpret", receipt).fails_with(2) == f"{receipt} is the receipt of a table: it is read with --cells"


def test_several_without_table(run, write):
    paths = [write(receipt_of("canonical", 5, 1, released=1)) for _ in range(2)]
    error = run("interpret", *paths).fails_with(2)
    assert error == "one receipt is read at a time (got 2), or several together with --cells"


# --- what is no receipt -----------------------------------------------------------------------------------------------


def test_no_file(run, tmp_path):
    assert run("interpret", tmp_path / "none").fails_with(3).endswith("none does not exist")
    assert "cannot be read" in run("interpret", tmp_path).fails_with(3)
    assert "RECEIPT" in run("interpret").fails_with(2)
    assert "cannot be read" in run("interpret", "a\0b").fails_with(3)


@pytest.mark.parametrize("content", ["", "{}", "[]", "not json", '{"schema_version": 1}'])
def test_not_a_receipt(run, write, content):
    path = write(content)
    assert run("interpret", path).fails_with(3).startswith(f"{path}: not a receipt: ")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"released": 6}, "released must be from minimum to maximum"),
        ({"maximum": 6}, "the receipt was changed since the release"),
        ({"epsilon": "1.1"}, "the receipt was changed since the release"),
        ({"schema_version": 9}, "a newer hushcount is needed"),
    ],
)
def test_receipts_edited_by_hand(run, write, changes, message):
    facts = json.loads(receipt_of("nearest", 5, 1, released=1).to_json()) | changes
    for words in (["interpret"], ["interpret", "--cells"]):
        assert message in run(*words, write(json.dumps(facts))).fails_with(3)


@pytest.mark.parametrize("level", ["0", "1", "95", "95%", "nan"])
def test_bad_level(run, write, level):
    error = run("interpret", write(receipt_of("nearest", 5, 1, released=1)), "--level", level).fails_with(2)
    assert error.startswith("--level must be a")


def test_an_option_twice(run, write):
    path = write(receipt_of("nearest", 5, 1, released=1))
    assert "only once" in run("interpret", path, "--level", "0.9", "--level", "0.5").fails_with(2)


@pytest.mark.parametrize(("option", "least"), [("--round", 2), ("--suppress-below", 1), ("--widest", 0)])
def test_the_least_number_of_a_rule_is_told_however_it_is_broken(run, tmp_path, option, least):
    for given in ("x", "2.5", "-1", str(least - 1)):
        message = run("interpret", tmp_path / "none", "--cells", option, given).fails_with(2)
        assert message.startswith(f"{option} must be a")
        assert f" >= {least}" in message
