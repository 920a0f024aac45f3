"""The file of a plan in every spelling, and the files it writes: whole, at the end of any path, and never over
another's."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from hushcount.errors import BadData, BadUse, HushcountError, InvalidParameter
from hushcount.files import whole_files
from hushcount.ledger import Basis, Ledger
from hushcount.plan import carried_out, read_plan
from hushcount.plan.document import schema_text

PEOPLE = '[sources.people]\nsource = "people.csv"\n'
ONE = PEOPLE + '[[release]]\nname = "one"\nepsilon = 0.1\n'
TABLE = PEOPLE + '[[release]]\nname = "t"\nepsilon = 0.1\nby = "age"\n'


def history(folder):
    return Ledger(folder / "people.ledger").history("people")


# --- the file of the plan ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", "\ufeff", "# \u00fcber\n"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_mark_at_the_start_and_other_line_ends_change_nothing(folder, plan, before, ending):
    plan(ONE)
    text = (folder / "plan.toml").read_text()
    (folder / "plan.toml").write_bytes((before + text.replace("\n", ending)).encode())
    assert read_plan(folder / "plan.toml").check().is_covered


@pytest.mark.parametrize(
    "number", ["1e999999999", "1e-999999999", "1e99999999999999999999", "inf", "-inf", "nan", "0x1p3"]
)
def test_numbers_without_meaning_are_refused_at_once(plan, number):
    with pytest.raises(HushcountError):
        plan(f'{PEOPLE}[[release]]\nname = "a"\nepsilon = {number}\n')


@pytest.mark.parametrize(
    "keys",
    [
        "[1.5, nan]",
        "[inf]",
        "[2020-01-01T00:00:00]",
        "[07:32:00]",
        "[1e99999999999999999999]",
        "[{ a = 1 }]",
        "[[[1]]]",
        "[1, 'a']",
        "[1, 1]",
        "[]",
        f"[{'9' * 5000}]",
    ],
)
def test_keys_that_no_column_has_are_refused(plan, keys):
    with pytest.raises((BadUse, BadData)):
        plan(f"{TABLE}keys = {keys}\n")


@pytest.mark.parametrize(("cells", "keys"), [("2020-01-01", "[2020-01-01, 2021-02-03]"), ("true", "[true, false]")])
def test_keys_have_the_types_of_toml(folder, plan, cells, keys):
    (folder / "people.csv").write_text(f"age\n{cells}\n{cells}\n")
    found = plan(TABLE.replace("0.1", "0.4") + f"keys = {keys}\n").run()
    assert len(found.receipts["t"].released) == 3


def test_files_of_keys_with_another_delimiter(folder, plan):
    (folder / "keys.csv").write_text("age;person\n20;a,b\n")
    (folder / "people.csv").write_text('age,person\n20,"a,b"\n')
    declared = TABLE.replace('by = "age"', 'by = ["age", "person"]').replace("0.1", "0.4") + 'keys = "keys.csv"\n'
    found = plan(f'{declared}keys_delimiter = ";"\n').run()
    assert found.receipts["t"].to_arrow()["person"].to_pylist()[0] == "a,b"
    with pytest.raises(BadData, match=r"if ';' separates the fields, declare it: keys_delimiter"):
        plan(declared)


@pytest.mark.parametrize(
    ("table", "key", "text"),
    [
        ("Release", "undeclared", f"{TABLE}keys = [20]\n{{}}"),
        ("SourceTable", "without_unit", f'{PEOPLE}unit = "person"\n{{}}\n[[release]]\nname = "a"\nepsilon = 0.1\n'),
    ],
)
def test_what_the_schema_offers_is_taken(plan, table, key, text):
    words = re.findall(r'"(.*?)"', json.loads(schema_text())["$defs"][table]["properties"][key]["description"])
    assert len(words) >= 1
    for word in words:
        assert plan(text.format(f'{key} = "{word}"\n')).check().is_covered


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a" + ".a" * 5000 + " = 1", "\0", "[a]\n[a]\n"])
def test_no_nesting_and_no_byte_is_more_than_an_error(plan, text):
    with pytest.raises(BadData):
        plan(text, head="")


@pytest.mark.parametrize("text", ['[sources.people]\nsource = "-"\n{}', '{}source = "-"\n'])
def test_standard_input_is_no_source(plan, text):
    release = '[[release]]\nname = "r"\nepsilon = 0.1\n'
    with pytest.raises(InvalidParameter, match="standard input cannot be a source"):
        plan(text.format(release)).check()
    with pytest.raises(BadData, match="does not exist"):
        plan(text.format(release).replace('"-"', '"./-"')).check()


def test_a_plan_is_no_folder_and_no_pipe_without_end(folder):
    for path in (folder, folder / "none.toml", "/dev/zero", "a\0b"):
        with pytest.raises(HushcountError):
            read_plan(path)


def test_names_that_other_systems_reserve_are_names_here(plan, folder):
    text = "".join(
        f'[[release]]\nname = "{name}"\nepsilon = 0.01\n' for name in ("CON", "aux.json", "a.", "-x", "a..b")
    )
    with pytest.raises(BadData, match="name"):
        plan(PEOPLE + text)
    plan(PEOPLE + text.replace('"-x"', '"x-"')).run()
    assert len(list((folder / "out").iterdir())) == 5


def test_a_title_may_say_anything(plan, folder):
    head = with_head(title="a \x1b[31m<b>", report="page.html")
    plan(f'{ONE}title = "<script>alert(1)</script> \\u202e"\n', head).run()
    page = (folder / "page.html").read_text()
    assert "<script" not in page
    assert "\x1b" not in page


# --- the files that are written ---------------------------------------------------------------------------------------


def with_head(**more):
    said = {"ledger": "people.ledger", "budget": "people", "outputs": "out", **more}
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in said.items())


@pytest.mark.parametrize("outputs", ["people.csv", "people.csv/x", "a\0b", "x" * 300, "link"])
def test_a_folder_that_cannot_be_made_is_an_error(plan, folder, outputs):
    (folder / "link").symlink_to("nowhere/at/all")
    with pytest.raises(InvalidParameter, match="outputs must be a folder"):
        plan(ONE, with_head(outputs=outputs)).run()
    assert history(folder) == ()


def test_a_folder_is_made_with_those_above_it(plan, folder):
    plan(ONE, with_head(outputs="a/b", report="a/b/page.html")).run()
    assert {path.name for path in (folder / "a" / "b").iterdir()} == {"one.json", "page.html"}


def test_a_link_to_a_folder_is_that_folder(plan, folder):
    (folder / "real").mkdir()
    (folder / "out").symlink_to("real")
    plan(ONE).run()
    assert (folder / "real" / "one.json").is_file()


@pytest.mark.parametrize("name", ["people.ledger", "people.csv", "plan.toml", "keys.csv", "people.ledger-journal"])
def test_no_file_of_the_plan_is_written_over(plan, folder, name):
    """By a link, since the names of what is written end in their own way."""
    (folder / "keys.csv").write_text("age\n20\n")
    (folder / "out").mkdir()
    (folder / "out" / "t.json").symlink_to(folder / name)
    for head in (with_head(), with_head(ledger="sqlite:///people.ledger")):
        with pytest.raises(InvalidParameter, match="outputs must be another file"):
            plan(f'{TABLE}keys = "keys.csv"\n', head).run()
    assert history(folder) == ()


def test_a_report_is_not_written_over_its_plan_or_another_file(plan, folder):
    (folder / "plan.html").symlink_to("plan.toml")
    (folder / "same.html").symlink_to("out/one.json")
    for report in ("plan.html", "same.html"):
        with pytest.raises(InvalidParameter, match="report must be another file"):
            plan(ONE, with_head(report=report)).run()
    with pytest.raises(BadData, match="report"):
        plan(ONE, with_head(report="page.pdf"))
    assert history(folder) == ()


def test_two_releases_do_not_write_one_file(plan, folder):
    (folder / "out").mkdir()
    (folder / "out" / "one.json").symlink_to("two.json")
    with pytest.raises(InvalidParameter, match=r"release 'two': outputs must be another file"):
        plan(f'{ONE}[[release]]\nname = "two"\nepsilon = 0.1\n').run()


@pytest.mark.skipif(os.name != "posix", reason="names of files that are no text")
def test_names_on_the_disk_need_not_be_text(plan, folder):
    plan(ONE)
    odd = folder / os.fsdecode(b"\xff\x1b")
    odd.mkdir()
    for name in ("plan.toml", "people.csv", "people.ledger"):
        (folder / name).rename(odd / name)
    found = read_plan(odd / "plan.toml")
    for told in (found.check(), found.run()):
        str(told).encode("utf-8")
        json.dumps(told.to_dict()).encode("utf-8")
    assert (odd / "out" / "one.json").is_file()


def test_a_file_that_cannot_be_written_is_written_by_the_next_run(plan, folder, monkeypatch):
    """A full disk: the answers are in the ledger."""
    text, head = f'{ONE}[[release]]\nname = "two"\nepsilon = 0.2\n', with_head(report="page.html")
    whole = whole_files.write_whole
    for full, told in (
        ("two.json", r"^release 'two': two.json could not .*run the plan again"),
        ("page.html", "^page"),
    ):

        def write(target: Path, content, full=full):
            if target.name == full:
                raise OSError(28, "No space left on device")
            whole(target, content)

        with monkeypatch.context() as patch:
            patch.setattr(carried_out, "write_whole", write)
            with pytest.raises(BadUse, match=told):
                plan(text, head).run()
        assert (folder / "out" / "one.json").is_file()
    found = plan(text, head).run()
    assert [release.basis for release in found] == [Basis.STORED] * 2
    page = found.report.read_text(encoding="utf-8")
    assert "The 2 releases on this page spent epsilon 0.3, delta 0, replace-one, together." in page
    assert len(history(folder)) == 2


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_has_all_releases_in_order_with_their_titles(plan, folder):
    text = (
        f'{ONE}title = "Everybody"\nwhere = "age >= 0"\n'
        '[[release]]\nname = "t"\ntitle = "By age"\nepsilon = 0.1\nby = "age: 0-39, 40+"\n'
        '[[release]]\nname = "last"\nwhere = "age > 30"\nepsilon = 0.1\n'
    )
    found = plan(text, with_head(title="Our people", report="page.html")).run()
    page = found.report.read_text()
    assert "<title>Our people</title>" in page
    heads = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    assert heads[:2] == ["Everybody", "By age"]
    assert "age &gt; 30" in heads[2]
    assert "age &gt;= 0" in page
    again = plan(text, with_head(title="Our people", report="page.html")).run()
    assert again.report.read_text() == page
    assert json.loads(json.dumps(found.to_dict()))["report"] == str(folder / "page.html")
    assert "page.html" in str(found)
