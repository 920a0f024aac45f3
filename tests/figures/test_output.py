"""Files: the format by the name, the same bytes each time, whole or not at all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
from pictures import PICTURES, TRIANGLE, axes

from hushcount import BadUse, nearest
from hushcount.cli import main
from hushcount.errors import InvalidParameter
from hushcount.figures import output, plot_mechanism, plot_shared_entries, save_figure
from hushcount.optimal_set import OptimalSet

HEADS = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}


@pytest.mark.slow
@pytest.mark.parametrize("form", HEADS)
def test_formats(tmp_path, form):
    file = tmp_path / f"a.{form.upper()}"
    save_figure(plot_mechanism(TRIANGLE), file)
    assert file.read_bytes().startswith(HEADS[form])
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


def test_size_of_a_png(tmp_path):
    save_figure(plot_mechanism(nearest(3, 1), axes((4, 3))), tmp_path / "a.png")
    head = (tmp_path / "a.png").read_bytes()[16:24]
    assert (int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")) == (800, 600)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PICTURES if name not in ("mechanism-1", "rows-200")])
def test_the_same_picture_is_the_same_bytes(name, tmp_path):
    for file in ("1.svg", "2.svg"):
        save_figure(PICTURES[name](), tmp_path / file)
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()


PROGRAM = """
import sys
from hushcount.figures import plot_mechanism, save_figure
for form in ("png", "svg", "pdf"):
    ax = plot_mechanism([[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.5, 0.5]], title="Σ", scale="log")
    save_figure(ax, f"{sys.argv[1]}.{form}")
"""


@pytest.mark.slow
def test_another_process_writes_the_same_bytes(tmp_path, monkeypatch):
    """With another hash seed, at another time, somewhere else."""
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1"}
    command = [sys.executable, "-W", "error", "-c", PROGRAM, str(tmp_path / "other")]
    subprocess.run(command, check=True, env=environment)
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "here")])
    exec(PROGRAM, {})
    for form in HEADS:
        assert (tmp_path / f"here.{form}").read_bytes() == (tmp_path / f"other.{form}").read_bytes()


@pytest.mark.slow
def test_no_date_and_no_random_name(tmp_path):
    save_figure(plot_shared_entries(OptimalSet(4, 1)), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert not re.search(r"dc:date|20\d\d-\d\d-\d\d", text)
    assert "<text" not in text  # outlines, so that it looks the same without our fonts
    save_figure(plot_shared_entries(OptimalSet(4, 1)), tmp_path / "a.pdf")
    assert b"Date" not in (tmp_path / "a.pdf").read_bytes()


def test_an_svg_is_xml_whatever_the_title(tmp_path):
    title = "<a> & 'b' --> ]]> \"c\" --"
    save_figure(plot_mechanism(nearest(3, 1), title=title), tmp_path / "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_the_user_s_own_settings_of_files_do_not_matter(tmp_path):
    save_figure(plot_mechanism(nearest(3, 1)), tmp_path / "1.svg")
    ax = plot_mechanism(nearest(3, 1))
    own = {"svg.fonttype": "none", "savefig.transparent": True, "savefig.bbox": "tight", "svg.hashsalt": "x"}
    with matplotlib.rc_context(own):
        save_figure(ax.figure, tmp_path / "2.svg")
        assert matplotlib.rcParams["svg.fonttype"] == "none"
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()


@pytest.mark.slow
def test_a_large_heat_map_is_an_image_in_an_svg(tmp_path):
    for n in (40, 100):
        save_figure(plot_mechanism(nearest(n, 1)), tmp_path / f"{n}.svg")
    assert (
        "data:image/png"
        not in (tmp_path / "40.svg").read_text(encoding="utf-8").split("colorbar")[0].split("axes_2")[0]
    )
    assert "data:image/png" in (tmp_path / "100.svg").read_text(encoding="utf-8").split("axes_2")[0]
    assert (tmp_path / "100.svg").stat().st_size < 300_000


def test_an_earlier_file_is_replaced_and_a_link_followed(tmp_path):
    file, link = tmp_path / "a.svg", tmp_path / "link.svg"
    file.write_text("old")
    link.symlink_to(file)
    save_figure(plot_mechanism(nearest(3, 1)), link)
    assert link.is_symlink()
    assert file.read_bytes().startswith(b"<?xml")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a", "a.jpg", "a.svg.gz", ".svg", "svg", ""])
def test_other_endings(tmp_path, name):
    with pytest.raises(InvalidParameter, match=r"path must be a file name that ends in \.png, \.svg or \.pdf"):
        save_figure(plot_mechanism(nearest(3, 1)), os.path.join(tmp_path, name) if name else name)
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path):
    ax = plot_mechanism(nearest(3, 1))
    with pytest.raises(InvalidParameter, match="path must be in a folder that exists"):
        save_figure(ax, tmp_path / "none" / "a.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(InvalidParameter, match="path must be the name of an ordinary file"):
        save_figure(ax, tmp_path / "folder.svg")
    with pytest.raises(InvalidParameter, match="path must be the path of a file"):
        save_figure(ax, 3)


def test_a_full_disk(tmp_path, monkeypatch):
    file = tmp_path / "a.svg"
    file.write_text("old")

    def fail(target: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output, "write_whole", fail)
    with pytest.raises(BadUse, match=r"a\.svg: cannot be written \(No space left on device\)"):
        save_figure(plot_mechanism(nearest(3, 1)), file)
    assert file.read_text() == "old"


@pytest.mark.parametrize("figure", [None, "figure", 3])
def test_something_else_than_a_figure(tmp_path, figure):
    with pytest.raises(InvalidParameter, match="figure must be a matplotlib figure"):
        save_figure(figure, tmp_path / "a.svg")


def test_too_small(tmp_path):
    with pytest.raises(BadUse, match="the figure is too small"):
        save_figure(plot_shared_entries(OptimalSet(4, 1), axes((0.5, 0.3)), sums=True), tmp_path / "a.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "name"),
    [("README.md", "errors.svg"), ("docs/theory.md", "errors-mu.svg"), ("docs/tables.md", "prices.svg")],
)
def test_a_picture_of_the_documentation_is_what_its_command_draws(tmp_path, page, name):
    """Up to the last digits, which may depend on the machine; the texts in it are comments."""
    root = Path(__file__).parents[2]
    text = (root / page).read_text(encoding="utf-8")
    assert f"figures/{name})" in text
    (line,) = re.findall(rf"^hushcount (plot .*) {re.escape(name)}$", text, re.M)
    assert main([*line.split(), str(tmp_path / name)]) == 0
    number = r"-?\d+\.\d+|-?\d+"
    drawn, shown = (
        re.sub(r"#?m[0-9a-f]{10}", "", path.read_text(encoding="utf-8"))  # a hash of all digits
        for path in (tmp_path / name, root / "docs" / "figures" / name)
    )
    assert re.split(number, drawn) == re.split(number, shown)
    assert [float(x) for x in re.findall(number, drawn)] == pytest.approx(
        [float(x) for x in re.findall(number, shown)], abs=0.01
    )
