"""`hushcount report`: receipts in, one page out."""

from __future__ import annotations

import pytest
from receipts import receipt_of, table_receipt_of, without_keys

from hushcount.report import report_page


@pytest.fixture
def receipts(tmp_path):
    table = table_receipt_of(["k"], ["a", "b"], [3, 0, 9], 10)
    found = [receipt_of("nearest", 5, 1, released=2), table, without_keys(table)]
    paths = [tmp_path / f"{number}.json" for number in range(len(found))]
    for path, receipt in zip(paths, found, strict=True):
        path.write_text(receipt.to_json())
    return paths, found


def test_a_page_of_several_receipts(run, receipts, tmp_path):
    paths, found = receipts
    output = tmp_path / "report.html"
    assert run("report", *paths, "--output", output).succeeds() == f"Saved to {output}\n"
    assert output.read_text(encoding="utf-8") == report_page(found)
    run("report", paths[1], "--output", output, "--title", "A <b>", "--level", "0.8", "--together").succeeds()
    assert output.read_text(encoding="utf-8") == report_page(found[1], title="A <b>", level="0.8", simultaneous=True)


def test_releases_and_missing_keys_may_have_names(run, receipts, tmp_path):
    paths, found = receipts
    output, names = tmp_path / "report.html", ("--heading", "One", "--heading", "Two")
    run("report", *paths[:2], "--output", output, *names, "--missing-label", "not stated").succeeds()
    assert output.read_text(encoding="utf-8") == report_page(
        found[:2], headings=["One", "Two"], missing_label="not stated"
    )
    refused = run("report", paths[0], "--output", output, *names).fails_with(2)
    assert refused.startswith("--heading must be 1 text, one for each receipt")
    refused = run("report", paths[1], "--output", output, "--missing-label", "a").fails_with(2)
    assert refused.startswith("--missing-label must be another text than every key")


def test_what_is_refused(run, receipts, tmp_path):
    paths, _ = receipts
    refused = run("report", paths[0], "--output", tmp_path / "r.pdf").fails_with(2)
    assert refused.startswith("--output must be a file whose name ends in .html or .htm (got '")
    page = paths[0].rename(tmp_path / "0.html")
    assert run("report", page, "--output", page).fails_with(2).startswith("--output must be another file than")
    (tmp_path / "none.json").write_text("{}")
    assert "not a receipt" in run("report", tmp_path / "none.json", "--output", tmp_path / "r.html").fails_with(3)
    assert run("report", paths[1], "--output", tmp_path / "r.html", "--level", "2").fails_with(2).startswith("--level")
    assert not (tmp_path / "r.html").exists()
