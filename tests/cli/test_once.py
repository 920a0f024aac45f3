"""Every option once, in every command."""

from __future__ import annotations

import pytest

from hushcount.cli.tree import every_command

ONCE = [
    (words.removeprefix("hushcount "), parameter)
    for words, one in every_command().items()
    if not hasattr(one, "commands")
    for parameter in one.params
    if parameter.param_type_name == "option" and not parameter.multiple
]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "option"), ONCE, ids=lambda value: getattr(value, "name", value))
def test_no_option_silently_takes_the_last_of_two_values(run, command, option):
    """Of every command, also those that come later. The two are the same value: saying it twice is refused as well."""
    required = [
        word
        for parameter in every_command()[f"hushcount {command}"].params
        if parameter.required and parameter.name != option.name
        for word in ([parameter.opts[0], "1"] if parameter.param_type_name == "option" else ["nowhere.csv"])
    ]
    said = [option.opts[0]] if option.is_flag else [option.opts[0], "1"]
    message = run(*command.split(), *required, *said, *said).fails_with(2)
    assert message == f"option '{option.opts[0]}' may be given only once (got 2) (see 'hushcount {command} --help')"


def test_twice_in_other_spellings(run):
    arguments = ["--n", "3", "--epsilon=1", "--epsilon", "2", "--epsilon", "3"]
    assert run("explain", *arguments).fails_with(2).startswith("option '--epsilon' may be given only once (got 3)")
    message = run("release", "x.csv", "--where", "a", "--epsilon", "1", "--no-header", "--header").fails_with(2)
    assert message.startswith("option '--header' may be given only once")
    assert run("explain", "--n", "3", "--epsilon", "1", "--", "--epsilon").fails_with(2).startswith("got unexpected")


def test_what_may_be_given_twice(run, tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("age,name\n70,Ann\n")
    types = ["--type", "age=integer", "--type", "name=text"]
    assert run("release", table, "--where", "age > 1", "--epsilon", "1", *types).succeeds()
    assert run("explain", "--epsilon", "1", "--epsilon", "2", "--help").succeeds()
