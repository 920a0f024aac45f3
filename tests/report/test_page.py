"""A page about releases: all that it says is in the receipts, and none of their texts is markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pyarrow as pa
import pytest
from receipts import receipt_of, table_receipt_of, without_keys

from hushcount import from_matrix, interpret, interpret_table, release_table
from hushcount.errors import BadUse, InvalidParameter
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs
from hushcount.release import FROM_DATA, TableReceipt
from hushcount.report import report_page
from hushcount.report.article import MOST_DRAWN, MOST_ROWS
from hushcount.report.picture import Line, pictures

SCRIPT = "<script>document.title = 'ran'</script>"
HOSTILE = [
    SCRIPT,
    '"><img src=x onerror=alert(1)>',
    "' onload='x",
    "</svg></title><style>",
    "$title ${x} $$",
    "&lt;b&gt;",
]
VOID = {"meta", "link", "br", "line", "path", "circle"}


class Page(HTMLParser):
    """The elements of a page; it is well formed, or this raises an error."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def said(self):
        return " ".join("\n".join(self.texts).split())


@pytest.fixture(scope="module")
def table():
    return table_receipt_of(["region"], ["north", "south", None], [3, 0, 12, 9], 20)


def test_a_count():
    receipt = receipt_of("nearest", 4820, "0.5", released=2019)
    page = Page(report_page(receipt))
    ((least, most),) = interpret(receipt).confidence_set
    for words in (
        "Rows of people.csv where age >= 65",
        f"2,019 95% confidence set: {least:,} to {most:,}",
        "The range is 0 to 4,820.",
        "The number of rows is 4,820.",
        "wrong in at most 75.6% of releases",
        "Who is protected (replace-one): The number of rows is public",
        "shifts their odds by a factor of at most 1.65",
        "It spent epsilon 0.5, delta 0, replace-one. It was charged to no budget.",
        f"Receipt {receipt.receipt_id} of 2026-01-02 03:04:05 UTC",
        "Drawn by the mechanism nearest",
    ):
        assert words in page.said


def test_a_table(table):
    page = Page(report_page(table, level="0.9"))
    for words in (
        "by region",
        "region released 90% confidence set",
        "Released table: 3 cells, and one for all other keys",
        "(missing) 12",
        "At most 2.16 of 4 counts are wrong on average.",
        "It spent epsilon 2, delta 0, replace-one for the whole table.",
        "The cells were declared and are public",
    ):
        assert words in page.said
    assert "for all cells together" in Page(report_page(table, simultaneous=True)).said


@pytest.mark.parametrize(
    "promise",
    [GaussianDP.of(mu="0.5"), SeveralPairs.of([("0.1", "0.1"), ("1", "1e-6")])],
    ids=["mu", "several pairs"],
)
def test_every_promise(promise):
    count = receipt_of("nearest", 50, promise, released=3)
    cells = table_receipt_of(["k"], [1, 2], [3, 0, 1], 20, promise)
    page = Page(report_page([count, cells]))
    assert f"It spent {count.promise.in_words()}, replace-one." in page.said
    assert "for the whole table." in page.said
    assert len(page.all("article")) == 2


def test_older_receipts_have_numbers_for_keys(table):
    page = Page(report_page(without_keys(table)))
    assert "cell 1" in page.said
    assert "north" not in page.said


def test_a_cap_means_or_more():
    cells = table_receipt_of(["k"], [1], [5, 0], 5, 3, adjacency="add-remove")
    assert "or more" in Page(report_page(cells)).said
    assert "5 or more" in Page(report_page(receipt_of("nearest", 5, 3, released=5, adjacency="add-remove"))).said


def test_an_audited_mechanism():
    matrix = from_matrix([[0.5, 0.5], [0.5, 0.5]])
    receipt = receipt_of(matrix, 1, 1, released=1)
    assert "confidence set" not in Page(report_page(receipt)).said
    page = Page(report_page([receipt, receipt_of("nearest", 5, 1, released=2)], mechanism=matrix))
    assert page.said.count("95% confidence set: ") == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_every_text_of_a_receipt_is_text(text):
    said = {"where": f"name = '{text}'", "source": text.replace("/", "|"), "table": text}
    keys = [text, "other"]
    cells = table_receipt_of([text], keys, [1, 2, 3], 9, **said)
    page = report_page([cells, receipt_of("nearest", 5, 1, released=2, **said)], title=text)
    clean = Page(
        report_page([table_receipt_of(["k"], ["a", "b"], [1, 2, 3], 9), receipt_of("nearest", 5, 1, released=2)])
    )
    assert [tag for tag, _ in Page(page).elements] == [tag for tag, _ in clean.elements]
    assert [sorted(attributes) for _, attributes in Page(page).elements] == [
        sorted(attributes) for _, attributes in clean.elements
    ]
    assert text in Page(page).texts


def test_nothing_is_loaded_and_nothing_runs(table):
    page = Page(report_page(table))
    assert not {"script", "img", "iframe", "object", "embed", "form", "base", "a"} & {tag for tag, _ in page.elements}
    assert page.all("link") == [{"rel": "icon", "href": "data:,"}]
    (policy,) = (each["content"] for each in page.all("meta") if each.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert not re.search(r"url\(|@import|https?:|\son[a-z]+=", report_page(table))


def test_it_can_be_read_by_everybody(table):
    page = Page(report_page([table, receipt_of("nearest", 5, 1, released=2)]))
    assert page.all("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels == [1, 2, 3, 3, 3, 2, 3, 3, 3, 2]
    assert all(each.get("scope") in ("col", "row") for each in page.all("th"))
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(each["role"] == "img" and each["aria-label"] for each in page.all("svg"))
    named = {each["id"] for each in page.all("h2")}
    sections = [*page.all("article"), *page.all("section")]
    assert [each["aria-labelledby"] for each in sections] == sorted(named)


def test_the_table_comes_before_its_pictures(table):
    page = report_page(table_receipt_of(["k"], list(range(63)), [1] * 63, 3))
    assert page.index("<tbody>") < page.index("<svg")


def test_no_command_is_told_to_the_public(table):
    """Nor that a sum needs one where it is exact."""
    one = release_table(pa.table({"k": ["a"] * 9}), "k", ["a"], 1, source_name="t")
    page = Page(report_page([table, one]))
    assert "hushcount interpret" not in page.said
    assert "Cells with few rows are biased upwards." in page.said
    assert "A small count is biased upwards; the sum of both, 9, is exact." in page.said
    assert "hushcount interpret --cells" in str(table)
    assert "hushcount interpret" not in str(one)


@pytest.mark.parametrize(
    ("promises", "said"),
    [
        (["0.5", "1"], "spent epsilon 2.5, delta 0, replace-one, together"),
        (
            [EpsilonDelta.of("0.5", "1e-6"), EpsilonDelta.of("0.1", "1e-7")],
            "spent epsilon 0.7, delta 0.00000119999999, replace-one, together",
        ),
        ([GaussianDP.of("0.6"), GaussianDP.of("0.4")], "spent mu 0.824622 (mu^2 0.68), delta 0, replace-one, together"),
        ([GaussianDP.of("0.6"), EpsilonDelta.of(0, "1e-6")], "spent mu 0.6 (mu^2 0.36), delta 0.000001999999,"),
        ([SeveralPairs.of([("0.1", "0.1"), ("1", "1e-6")])] * 2, None),
        ([EpsilonDelta.of(1, "0.5")] * 2, None),
    ],
)
def test_what_all_of_a_page_cost_together(promises, said):
    count = receipt_of("nearest", 50, promises[0], released=3)
    cells = table_receipt_of(["k"], [1, 2], [3, 0, 1], 20, promises[1])
    page = Page(report_page([count, cells]))
    assert page.said.count("The 2 releases on this page spent") == (said is not None)
    assert said is None or said in page.said
    for alone in (count, [cells, cells], [count, receipt_of("nearest", 5, 1, released=3, adjacency="add-remove")]):
        assert "on this page spent" not in Page(report_page(alone)).said


def test_what_is_public_is_told_as_the_command_tells_it():
    frame = pa.table({"k": ["a", "b", "c"] * 800, "who": list(range(1200)) * 2})
    for given, said in [
        ({}, "The number of rows is 2,400."),
        ({"max_count": 9}, "The number of rows is 2,400."),
        ({"totals": [800] * 3, "undeclared": "left-out"}, "The number of rows is 2,400."),
        ({"unit": "who", "max_cells": 3}, "The number of units is 1,200."),
        ({"unit": "who", "rows_per_unit": 2}, "With 2 rows of each unit a count is at most 2,400, which is public."),
        ({"adjacency": "add-remove", "max_count": 9}, None),
    ]:
        receipt = release_table(frame, "k", ["a", "b", "c"], 1, source_name="t", **given)
        for text in (str(receipt), str(TableReceipt.from_json(receipt.to_json())), Page(report_page(receipt)).said):
            assert (said or "chosen without looking at the data") in " ".join(text.split())
            assert said is not None or "2,400" not in text


def test_long_tables_are_cut_and_say_so():
    size = MOST_ROWS + 5
    page = Page(report_page(table_receipt_of(["k"], list(range(size)), [1] * size, 3)))
    assert "... and 5 more; the receipt has all of them" in page.said
    assert f"the first {MOST_DRAWN} of 1,005 cells" in page.said
    assert len(page.all("circle")) == MOST_DRAWN


@pytest.mark.parametrize(
    ("lines", "top", "ticks"),
    [
        ([0], 0, ["0", "1"]),
        ([1], 1, ["0", "1"]),
        ([4], 5, ["0", "1", "2", "3", "4", "5"]),
        ([40], 60, ["0", "20", "40", "60"]),
        ([0], 10**12, ["0", "1"]),
        ([123456], 10**9, ["0", "50,000", "100,000", "150,000"]),
        ([10**12], 10**12, [f"{k * 2 * 10**11:,}" for k in range(6)]),
        ([10**400], 10**400, [f"{k * 2 * 10**399:,}" for k in range(6)]),
    ],
)
def test_the_scale_of_a_picture(lines, top, ticks):
    (made,) = pictures([Line("x", count) for count in lines], top, "x")
    assert re.findall(r'font-size="12">([0-9,]+)<', made) == ticks


def test_dots_and_bars_stand_where_the_counts_are():
    (made,) = pictures([Line("x", 50, ((0, 10), (90, 100)))], 100, "x")
    assert re.findall(r'cx="([0-9.]+%)"', made) == ["50.0%"]
    assert re.findall(r'x1="(\S+%)" y1="23.5" x2="(\S+%)" y2="23.5"', made) == [("0.0%", "10.0%"), ("90.0%", "100.0%")]
    assert made.count("<line") == 6 + 2 * 3  # those of the axis, and a bar with two ends for each range


def test_no_line_is_left_alone_in_a_picture():
    made = list(pictures([Line("x", 1)] * 25, 9, "x"))
    assert [each.count("<circle") for each in made] == [9, 9, 7]


def test_all_other_keys_do_not_press_the_declared_together():
    """Theirs is then an arrow at the end of a scale for the declared ones; an equal one stays on the scale."""
    for other, has_arrow in [(500, True), (60, False)]:
        page = Page(report_page(table_receipt_of(["k"], ["a", "b"], [20, 30, other], 10_000)))
        assert len(page.all("path")) == has_arrow
        assert (len(page.all("circle")), "arrow where it is beyond the scale" in page.said) == (
            3 - has_arrow,
            has_arrow,
        )
        assert ("200" in page.texts) is False
    declared = Page(report_page(table_receipt_of(["k"], ["a", "b", "c"], [20, 30, 500], 10_000)))
    assert len(declared.all("circle")) == 3


def test_groups_from_the_data():
    """With sets that say what they cover, what is hidden, and the refusal of a level for all groups together."""
    keys, law = pa.array(["a"] * 60 + ["b"] * 60, pa.string()), {"epsilon": 1, "delta": "1e-5", "max_count": 5000}
    receipt = release_table(pa.table({"k": keys}), "k", FROM_DATA, adjacency="add-remove", source_name="t", **law)
    page = Page(report_page(receipt))
    ((least, most),) = interpret_table(receipt, level="0.95").cells[0].confidence_set
    for words in (
        "95% confidence set, given that the group is shown (bar)",
        f"k released 95% confidence set a {receipt.released[0]} {least} to {most}",
        "contains its true count with a chance of at least 95%, given that the group is shown.",
        "The range is 11 to 5,000 in a group that is shown; a group is hidden where 0 is drawn.",
        "10 in at most 87.2% of releases never",
        "No count from 1 to 10 is ever told: a smaller group that is shown is told as 11 or more",
    ):
        assert words in page.said
    assert len(page.all("circle")) == 2
    with pytest.raises(BadUse, match="how many groups are hidden is not known"):
        report_page(receipt, simultaneous=True)


def test_each_release_may_have_a_heading(table):
    count = receipt_of("nearest", 5, 1, released=2)
    page = Page(report_page([table, count], headings=["By region", "The <old>"]))
    assert "By region Rows of people.csv where age >= 65, by region" in page.said
    assert "The <old> Rows of people.csv where age >= 65" in page.said
    for wrong in (["one"], ["one", 2], "two"):
        with pytest.raises(InvalidParameter, match=r"^headings must be "):
            report_page([table, count], headings=wrong)


def test_a_missing_key_may_have_another_name(table):
    page = Page(report_page(table, missing_label="not stated"))
    assert "(missing)" not in page.said
    assert page.said.count("not stated") == 2
    for label in ("north", "(other)", " ", 5):
        with pytest.raises(InvalidParameter, match=r"^missing_label must be "):
            report_page(table, missing_label=label)


def test_no_distance_stands_alone_on_a_line(table):
    for receipt in (receipt_of("nearest", 20, "0.5", released=3), table):
        page = report_page([receipt])
        assert re.findall(r"off by more than(.*?)<", page) == ["&nbsp;1", "&nbsp;2", "&nbsp;5"]


def test_bands_are_whole_in_a_heading():
    receipt = table_receipt_of(["age"], ["0-17"], [1, 2], 9).model_copy(update={"by": ("age: 0-17, 18+",)})
    assert 'by age <span style="white-space:nowrap">(0-17,</span> 18+)</h2>' in report_page(receipt)


@pytest.mark.parametrize("receipts", [[], [1], "text", None, [None]])
def test_what_is_no_receipt(receipts):
    with pytest.raises(InvalidParameter, match=r"^receipts must be "):
        report_page(receipts)


def test_bad_arguments(table):
    with pytest.raises(InvalidParameter, match=r"^title must be a text"):
        report_page(table, title=5)
    with pytest.raises(BadUse, match=r"^level must be "):
        report_page(table, level=1)
