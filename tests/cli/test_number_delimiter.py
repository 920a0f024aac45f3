"""`--delimiter` of every command that reads a CSV file of numbers: the answer is that of the same file with commas."""

from __future__ import annotations

import pytest
from receipts import receipt_of

from hushcount import nearest, save_mechanism

READ = {
    "audit": ("0.75,0.25\n0.25,0.75\n", "audit FILE --json"),
    "samples": ("true,released\n" + "0,1\n1,1\n" * 9, "audit --samples FILE --json"),
    "loss": ("0,1\n2,0\n", "design --n 1 --epsilon 1 --loss FILE --json"),
    "weights": ("1,3\n", "design --n 1 --epsilon 1 --weights FILE --json"),
    "prior": ("0,0.5\n3,0.5\n", "interpret RECEIPT --prior FILE --json"),
    "medium": ("0.75,0.25\n0.25,0.75\n", "medium file FILE --epsilon 1 --json"),
    "trials": ("75,25\n25,75\n", "medium counts FILE --epsilon 1 --json"),
    "rows": ("0.75,0.25\n0.25,0.75\n", "plot rows --matrix FILE --output p.svg"),
    "profile": ("0.75,0.25\n0.25,0.75\n", "plot privacy-profile --matrix FILE --output p.svg"),
}


@pytest.fixture
def ask(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "receipt.json").write_text(receipt_of("nearest", 3, 1, released=1).to_json())

    def ask(content, command, *more):
        (tmp_path / "numbers.csv").write_text(content)
        return run(*command.replace("FILE", "numbers.csv").replace("RECEIPT", "receipt.json").split(), *more)

    return ask


@pytest.mark.parametrize("what", READ)
@pytest.mark.parametrize(("typed", "mark"), [(";", ";"), ("tab", "\t"), ("\\t", "\t")])
def test_the_answer_is_that_with_commas(ask, what, typed, mark):
    content, command = READ[what]
    other = content.replace(",", mark)
    assert ask(other, command, "--delimiter", typed).out == ask(content, command).out
    assert "separates the fields, declare it: delimiter (--delimiter)" in ask(other, command).err
    assert ask(other, command).code == 3


@pytest.mark.parametrize("what", READ)
def test_no_delimiter(ask, what):
    content, command = READ[what]
    assert ask(content, command, "--delimiter", ".").fails_with(2).startswith("--delimiter must be no part of a number")


@pytest.mark.parametrize(
    "command",
    [
        "audit mechanism.json",
        "design --n 1 --epsilon 1",
        "design --n 1 --epsilon 1 --weights 1,3",
        "interpret RECEIPT",
        "interpret RECEIPT --prior uniform",
        "interpret RECEIPT --cells",
        "plot mechanism --matrix mechanism.json --output p.svg",
        "plot rows --n 1 --epsilon 1 --output p.svg",
        "plot privacy-profile --n 1 --epsilon 1 --output p.svg",
    ],
)
def test_a_delimiter_without_a_file_is_refused(ask, tmp_path, command):
    save_mechanism(nearest(1, 1), tmp_path / "mechanism.json")
    assert "--delimiter must be left out" in ask("", command, "--delimiter", ";").fails_with(2)
