"""Files that are there whole or not at all; `cli/test_release.py` sees places where none may be written."""

import os

import pytest

from hushcount.errors import InvalidParameter
from hushcount.files.whole_files import checked_target, write_whole


def test_written_in_one_step(tmp_path):
    target = tmp_path / "a.txt"
    for text in ("first\n", "Straße\r\n"):
        write_whole(target, text)
        assert target.read_bytes() == text.encode()
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch, step):
    def full(*_):
        raise OSError(28, "No space left on device")

    target = tmp_path / "a.txt"
    target.write_text("before")
    monkeypatch.setattr(step, full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(target, "after")
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_target_is_checked_without_a_trace(tmp_path):
    source = tmp_path / "source.csv"
    source.write_text("1\n")
    (tmp_path / "link").symlink_to(tmp_path / "real.txt")
    assert checked_target(str(tmp_path / "link"), "save") == tmp_path.resolve() / "real.txt"
    assert checked_target(str(source), "save") == source.resolve()
    with pytest.raises(InvalidParameter, match=r"^save must be another file than those that are read"):
        checked_target(str(source), "save", str(source))
    with pytest.raises(InvalidParameter, match=r"^save must be another file than those that are read, and what lies"):
        checked_target(str(tmp_path / "new-journal"), "save", "a\0b", str(tmp_path / "new-journal"))
    with pytest.raises(InvalidParameter, match=r"^save must be outside of the folder that is read"):
        checked_target(str(tmp_path / "new.parquet"), "save", str(tmp_path))
    for bad, rule in (
        ("none/x", "in a folder that exists"),
        ("", "the name of an ordinary"),
        ("a\0b", "a file that can"),
    ):
        with pytest.raises(InvalidParameter, match=f"^save must be {rule}"):
            checked_target(bad and str(tmp_path / bad), "save")
    assert sorted(os.listdir(tmp_path)) == ["link", "source.csv"]


def test_text_and_bytes(tmp_path):
    """Text as UTF-8, its line ends untouched; bytes as they are."""
    target = tmp_path / "a.txt"
    for content, stored in (("ε\r\nb\n", b"\xce\xb5\r\nb\n"), (b"\x89PNG\r\n\x00\xff", b"\x89PNG\r\n\x00\xff")):
        write_whole(target, content)
        assert target.read_bytes() == stored
    with pytest.raises(UnicodeEncodeError):
        write_whole(target, "\ud800")
    assert os.listdir(tmp_path) == ["a.txt"]
    assert target.read_bytes().startswith(b"\x89PNG")
