"""Titles and labels in any script, or an error that says what is missing; never boxes."""

from __future__ import annotations

import io

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager
from matplotlib.figure import Figure
from pictures import axes, legend_of

from hushcount import nearest
from hushcount.errors import InvalidParameter
from hushcount.figures import plot_privacy_profile, plot_rows

SCRIPTS = {
    "Latin": "Überprüfung – naïve ½",
    "Greek": "Σφάλμα μηχανισμού",
    "Cyrillic": "Ошибка механизма",
    "Arabic": "خطأ الآلية",
    "Persian": "می\u200cخواهم",  # noqa: RUF001
    "Hebrew": "טעות $5",
    "mathematics": "ε ≤ ½, |error| → 0",
    "what TeX would take for a formula": "$5 and $6, a_b^c, \\frac{1}{2}, 100%",
}


def svg(figure):
    file = io.BytesIO()
    figure.savefig(file, format="svg")
    return file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_that_the_shipped_font_has(script):
    """A character that is missing would be a warning, which is an error here."""
    ax = plot_rows(nearest(3, 1), title=SCRIPTS[script])
    assert ax.figure._suptitle.get_text() == SCRIPTS[script]
    assert not ax.figure._suptitle.get_parse_math()
    svg(ax.figure)


def test_a_script_that_no_font_has():
    with pytest.raises(
        InvalidParameter, match=r"title must be in characters that .* \(none has '\U00013080', U\+13080"
    ):
        plot_rows(nearest(3, 1), title="Eye: \U00013080")
    with pytest.raises(InvalidParameter, match=r"label must be in characters that"):
        plot_privacy_profile({"\U00013080": nearest(3, 1)}, [1])


@pytest.fixture
def font(tmp_path):
    """A file with a font that has two characters, which nothing else here has."""
    names = [".notdef", "one", "two"]
    pen = TTGlyphPen(None)
    pen.moveTo((100, 0))
    for corner in ((100, 700), (900, 700), (900, 0)):
        pen.lineTo(corner)
    pen.closePath()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({0x13080: "one", 0x13081: "two"})
    builder.setupGlyf(dict.fromkeys(names, pen.glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (1000, 100)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Two Eyes", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    builder.save(tmp_path / "eyes.ttf")
    return str(tmp_path / "eyes.ttf")


@pytest.fixture
def restored_fonts():
    before = list(font_manager.fontManager.ttflist)
    yield
    font_manager.fontManager.ttflist[:] = before
    font_manager.fontManager._findfont_cached.cache_clear()  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("is_known", [True, False])
def test_another_installed_font_helps_out(font, is_known, monkeypatch, restored_fonts):
    """One that matplotlib knows, or one that was installed after it looked."""
    if is_known:
        font_manager.fontManager.addfont(font)
    else:
        monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [font])
    title = "Eyes \U00013080\U00013081"
    ax = plot_rows(nearest(3, 1), title=title)
    assert ax.figure._suptitle.get_fontfamily()[-1] == "Two Eyes"
    svg(ax.figure)
    ax = plot_privacy_profile({title: nearest(3, 1)}, [0, 1], axes())
    assert title in " ".join(legend_of(ax))
    svg(ax.figure)


def test_unreadable_font_files_are_passed_over(tmp_path, monkeypatch):
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [str(tmp_path / "broken.ttf")])
    with pytest.raises(InvalidParameter, match="none has"):
        plot_rows(nearest(3, 1), title="\U00013080")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("short", 1),
        ("two\nlines", 2),
        ("", 1),
        ("  ", 1),
        ("a long title of many words " * 4, 3),
        ("x" * 150, 3),
        ("word " + "y" * 90, 3),
        ("Ошибка" * 20, 3),
        ("from $1 to $2, " * 6, 2),
    ],
)
def test_long_titles_are_broken(title, lines):
    ax = plot_rows(nearest(3, 1), ax=axes((4, 3)), title=title)
    found = ax.figure._suptitle
    svg(ax.figure)
    written = found.get_text()
    assert abs(len(written.split("\n")) - lines) <= (0 if lines < 3 else 1)
    assert written.replace("\n", "").replace(" ", "") == title.replace("\n", "").replace(" ", "")
    assert found.get_window_extent().x1 <= ax.figure.bbox.x1
    assert max(map(len, written.split("\n"))) >= min(30, len(title.split("\n")[0]))


def test_a_break_parts_no_accent_from_its_letter():
    ax = plot_rows(nearest(3, 1), ax=axes((4, 3)), title="e\N{COMBINING ACUTE ACCENT}" * 70)
    lines = ax.figure._suptitle.get_text().split("\n")
    assert len(lines) > 1
    assert all(line.startswith("e") for line in lines)


def test_labels_are_text_as_it_is():
    """matplotlib leaves out labels that begin with an underscore, and sets formulas between dollar signs."""
    labels = ["_hidden", "$5 and $6"]
    ax = plot_privacy_profile(dict.fromkeys(labels, nearest(3, 1)), [0, 1], Figure().subplots())
    assert [label.split(" (")[0] for label in legend_of(ax)][:2] == labels
    svg(ax.figure)
