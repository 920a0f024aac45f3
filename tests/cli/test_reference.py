"""The command documents itself: every option has help, and the generated pages are fresh."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

import hushcount
from hushcount.cli.exit_codes import EXIT_CODES
from hushcount.cli.reference import pages
from hushcount.cli.tree import every_command
from hushcount.counting import ReadOptions
from hushcount.release.receipt import schema_text

DOCS = Path(__file__).resolve().parents[2] / "docs"
COMMANDS = {words.removeprefix("hushcount "): command for words, command in every_command().items()}
PARAMETERS = [(name, parameter) for name, command in COMMANDS.items() for parameter in command.params]


@pytest.mark.parametrize("page", ["cli.md", "receipt.schema.json", "table-receipt.schema.json", "plan.schema.json"])
def test_page_is_fresh(page):
    assert (DOCS / page).read_text(encoding="utf-8") == pages()[page], "run `make docs`"


def test_pages_do_not_depend_on_the_terminal(monkeypatch):
    before = pages()
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("TERMINAL_WIDTH", "30")
    assert pages() == before


@pytest.mark.parametrize("name", COMMANDS)
def test_command_is_documented(name):
    assert COMMANDS[name].help
    assert f"## {name}\n" in pages()["cli.md"] or f"## hushcount {name}\n" in pages()["cli.md"]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "parameter"), PARAMETERS, ids=lambda value: getattr(value, "name", value))
def test_option_is_documented(command, parameter):
    assert parameter.help.endswith((".", "repeated."))
    page = pages()["cli.md"]
    for spelling in [*parameter.opts, *parameter.secondary_opts]:
        word = spelling if spelling.startswith("-") else parameter.metavar
        assert f"`{word}`".replace("|", "\\|") in page


def test_every_option_of_release_is_there():
    spellings = {spelling for parameter in COMMANDS["release"].params for spelling in parameter.opts}
    assert spellings == {
        "source", "--where", "--epsilon", "--delta", "--mu", "--rho", "--at-delta", "--adjacency", "--max",
        "--mechanism", "--ledger", "--budget", "--request-id", "--fresh", "--explain", "--json", "--output", "--table",
        "--format", "--header",
        "--delimiter", "--encoding", "--null", "--decimal", "--date-format", "--type", "--source", "--unit",
        "--without-unit", "--rows-per-unit", "--within", "--chance", "--currency", "--source-name",
        "--trailing-delimiter",
    }  # fmt: skip


def test_reading_defaults_are_those_of_the_library():
    """None of them is given unless it is typed, which a list of sources must know; the library has the defaults."""
    parameters = {parameter.name: parameter for parameter in COMMANDS["release"].params}
    declared = {field.name: getattr(ReadOptions(), field.name) for field in dataclasses.fields(ReadOptions)}
    assert [parameters[name].default for name in declared] == [None] * len(declared)
    words = {"header": {"--header": True}, "null": {"the empty field": ""}}
    for name in ("format", "header", "delimiter", "encoding", "null", "decimal", "date_format"):
        shown = parameters[name].show_default
        assert words.get(name, {}).get(shown, shown) == declared[name]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        ("audit", {
            "file", "--epsilon", "--delta", "--mu", "--rho", "--profile", "--normalise", "--samples", "--confidence",
            "--delimiter", "--distance", "--json",
        }),
        ("compare", {"--n", "--epsilon", "--delta", "--mu", "--rho", "--mechanism", "--json"}),
    ],
)  # fmt: skip
def test_every_option_is_there(name, spellings):
    assert {spelling for parameter in COMMANDS[name].params for spelling in parameter.opts} == spellings


@pytest.mark.parametrize("name", ["release", "explain"])
def test_help_shows_defaults(run, name):
    text = " ".join(run(name, "--help").succeeds().split())
    assert "[default: 0]" in text
    assert "[default: nearest]" in text
    assert "replace-one]" in text


def test_exit_codes_are_documented():
    assert list(EXIT_CODES) == [0, 1, 2, 3, 4, 5, 70, 74, 130]
    for code, meaning in EXIT_CODES.items():
        assert f"| {code} | {meaning} |" in pages()["cli.md"]


def test_schema_is_printed_as_published(run):
    assert run("schema").succeeds() == schema_text() == (DOCS / "receipt.schema.json").read_text(encoding="utf-8")
    assert json.loads(schema_text())["additionalProperties"] is False


def test_version(run):
    assert run("--version").succeeds() == f"hushcount {hushcount.__version__}\n"
