"""`hushcount release --source`: a table counted in its database, whose password is seen nowhere."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from postgresql_server import PASSWORD, USER

from hushcount import Ledger, release_count
from hushcount.cli import main
from hushcount.counting import ReadOptions
from hushcount.errors import BadData, HushcountError
from hushcount.ledger import create_budget
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release import Receipt
from hushcount.release.count.question import CountQuestion
from hushcount.release.subject import Subject

PLAIN = ["--where", "got = 1", "--epsilon", "0.5", "--table", "results"]


@pytest.fixture(scope="module")
def results(server: str) -> Iterator[str]:
    """The URL of a database with the table `results` of 40 rows."""
    name = f"released_{os.urandom(6).hex()}"
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        with psycopg.connect(f"{server}{name}", autocommit=True) as inside:
            inside.execute(
                "CREATE TABLE results AS SELECT g % 2 AS got, 'text ' || g AS note FROM generate_series(1, 40) g"
            )
        yield f"{server}{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _address(url: str) -> str:
    return f"postgresql://{url.rpartition('@')[2]}"


@pytest.mark.parametrize("spelled", [["--source"], []], ids=["option", "argument"])
def test_a_receipt_shows_the_address_alone(
    results: str, spelled: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["release", *spelled, results, *PLAIN, "--json"]) == 0
    out, err = capsys.readouterr()
    receipt = json.loads(out)
    assert (receipt["source"], receipt["table"], receipt["maximum"]) == (_address(results), "results", 40)
    assert err == ""
    assert PASSWORD not in out
    assert USER not in out
    assert Receipt.from_json(out).to_json() == out


def test_one_source_and_no_more(results: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release", *PLAIN]) == 2
    assert capsys.readouterr().err == (
        "hushcount: error: no source: give a file as SOURCE, or an address as --source\n"
    )
    assert main(["release", "people.csv", "--source", results, *PLAIN]) == 2
    assert capsys.readouterr().err == "hushcount: error: the source is given twice: as SOURCE and as --source\n"


def _wrong_password(url: str) -> str:
    return url.replace(PASSWORD, "s3cret%2Fwrong%40")


@pytest.mark.parametrize(
    ("change", "options", "code"),
    [
        (_wrong_password, PLAIN, 3),
        (lambda url: _address(url) + f"?user={USER}&password=s3cret-wrong", PLAIN, 3),
        (lambda url: url.replace("127.0.0.1", "nosuchhost.invalid"), PLAIN, 3),
        (lambda url: url + "?foo=s3cret", PLAIN, 2),
        (lambda url: url.replace(PASSWORD, "s3cret wrong"), PLAIN, 2),
        (lambda url: url, [*PLAIN[:-1], "nosuchtable"], 2),
        (lambda url: url, ["--where", "nosuchcolumn = 1", *PLAIN[2:]], 2),
        (lambda url: url, ["--where", "got = (1", *PLAIN[2:]], 2),
        (lambda url: url, ["--where", "note % 2 = 1", *PLAIN[2:]], 2),
        (lambda url: url, [*PLAIN, "--ledger", "LEDGER", "--budget", "nosuchbudget"], 2),
        (lambda url: url, [*PLAIN, "--format", "csv"], 2),
        (lambda url: "mysql" + url.removeprefix("postgresql"), PLAIN, 3),
    ],
)
def test_a_password_is_in_no_error(
    results: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[str], str],
    options: list[str],
    code: int,
) -> None:
    ledger = str(tmp_path / "people.ledger")
    create_budget(ledger, "people", 1)
    assert (
        main(["release", "--source", change(results), *[ledger if text == "LEDGER" else text for text in options]])
        == code
    )
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("hushcount: error: ")
    assert err.count("\n") == 1
    assert "s3cret" not in err
    assert USER not in err


def test_a_password_is_in_no_ledger(results: str, tmp_path: Path) -> None:
    place = tmp_path / "people.ledger"
    create_budget(place, "people", 1)
    asked = {"options": ReadOptions(table="results"), "ledger": place, "budget": "people"}
    first = release_count(results, "got = 1", "0.5", **asked)
    other_login = f"{_address(results)}?user={USER}&password={PASSWORD}"
    assert release_count(other_login, "got = 1", "0.5", **asked) == first
    assert len(Ledger(place).history("people")) == 1
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert PASSWORD.encode() not in content
        assert USER.encode() not in content
    assert PASSWORD not in first.to_json() + repr(first)


def test_a_password_is_in_no_repr_and_no_traceback(results: str) -> None:
    url = _wrong_password(results)
    question = CountQuestion.of(Subject.of(url), "got = 1", EpsilonDelta.of(1))
    assert "s3cret" not in repr(question)
    assert question.subject.name == _address(results)
    with pytest.raises(BadData) as caught:
        release_count(url, "got = 1", 1)
    assert isinstance(caught.value, HushcountError)
    assert caught.value.__context__ is None
    assert "s3cret" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    "source",
    ["postgresql://keeper@host/db", "postgresql://host/db?password=x", "postgresql://host/a/b", "spark:s3a://k@b/c"],
)
def test_a_receipt_with_credentials_is_none(results: str, source: str) -> None:
    fields = json.loads(release_count(results, "got = 1", 1, options=ReadOptions(table="results")).to_json())
    with pytest.raises(BadData, match="an address without credentials"):
        Receipt.from_json(json.dumps({**fields, "source": source}))


# --- a list of sources ------------------------------------------------------------------------------------------------


def test_a_listed_database_is_asked_without_an_address(
    results: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "people.ledger"
    asked = ["--ledger", str(place)]
    create = ["budget", "create", "people", "--epsilon", "9", "--source", results, "--table", "results"]
    assert main([*create, "--protects", "person", *asked]) == 0
    out = capsys.readouterr().out
    assert "\nColumns\n  got   integer\n  note  text\n" in out
    assert USER not in out
    content = place.read_bytes()
    assert PASSWORD.encode() not in content
    assert USER.encode() not in content
    asked += ["--budget", "people"]
    release = ["release", "--where", "got = 1", "--epsilon", "0.5"]
    assert main([*release, "--source", results, *asked]) == 0
    first = capsys.readouterr().out
    assert f"rows of results in {_address(results)} where got = 1" in first
    monkeypatch.setenv("PGUSER", USER)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert main([*release, *asked]) == 0
    assert capsys.readouterr().out == first
    for more, message in (
        (["--where", "note > 5"], "column 'note' (text) cannot be compared with 5"),
        (["--where", "nothing = 5"], "no such column: 'nothing'"),
        (["--where", "got = 1", "--table", "others"], "--table must be as the budget 'people' lists it"),
        (["--where", "got = 1", "--source", f"{results}x"], "--source must be one that the budget 'people' lists"),
    ):
        assert main(["release", "--epsilon", "0.5", *more, *asked]) == 2
        assert capsys.readouterr().err.startswith(f"hushcount: error: {message}")
    assert len(Ledger(place).history("people")) == 1


def test_a_listed_table_that_was_altered_is_refused(
    results: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGUSER", USER)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    place = tmp_path / "people.ledger"
    with psycopg.connect(results, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS visits")
        connection.execute(
            "CREATE TABLE visits AS SELECT 'p' || g % 3 AS person, 1 AS got FROM generate_series(1, 9) g"
        )
        options = ReadOptions(table="visits")
        create_budget(place, "people", 9, source=results, options=options, unit="person", protects="person")
        asked = {"ledger": place, "budget": "people"}
        assert release_count(results, "got = 1", 1, **asked).maximum == 3
        for change, fault in (
            ("INSERT INTO visits VALUES (NULL, 1)", "some row has nothing in column 'person'"),
            ("DELETE FROM visits WHERE person IS NULL; ALTER TABLE visits ALTER got TYPE text", "column 'got' is text"),
            ("ALTER TABLE visits DROP got", "has other columns than were listed"),
            ("DROP TABLE visits", "visits"),
        ):
            connection.execute(change)
            with pytest.raises(BadData) as caught:
                release_count(results, "got = 0", 1, **asked)
            assert str(caught.value).startswith(f"{_address(results)} cannot be read as its columns are listed")
            assert caught.value.charged is None
            assert main(["budget", "source", "check", "people", "--ledger", str(place)]) == 1
            told = capsys.readouterr().out
            assert told.startswith(f"Source      visits in {_address(results)}: ")
            assert fault in told.partition("in postgresql")[2]
    assert len(Ledger(place).history("people")) == 1
