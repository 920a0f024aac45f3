"""Files that are there whole or not at all; `cli/test_release.py` sees places where none may be written."""

import errno
import os
import signal
import subprocess
import sys

import pytest

from hushcount.errors import InvalidParameter
from hushcount.files import leftovers
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
    with pytest.raises(InvalidParameter, match=r"^save must be the name of a file; .* is written \./-"):
        checked_target("-", "save")
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


# --- what killed processes leave --------------------------------------------------------------------------------------

LEFT = ".hushcount-0123456789abcdef.part"


def test_what_a_killed_process_left_is_removed(tmp_path):
    script = "import os, pathlib, signal, sys\nfrom hushcount.files.whole_files import write_whole\n"
    script += "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\nwrite_whole(pathlib.Path(sys.argv[1]), 'x')\n"
    done = subprocess.run([sys.executable, "-c", script, tmp_path / "a.txt"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    checked_target(str(tmp_path / "a.txt"), "save")
    assert os.listdir(tmp_path) == []


def test_what_somebody_still_writes_is_left_alone(tmp_path, monkeypatch):
    inner, sync = [], os.fsync

    def meanwhile(descriptor):
        if not inner:
            inner.append("b.txt")
            write_whole(tmp_path / "b.txt", "other")
        sync(descriptor)

    monkeypatch.setattr("os.fsync", meanwhile)
    write_whole(tmp_path / "a.txt", "one")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "one", "b.txt": "other"}


def test_what_is_taken_for_left_before_it_is_held_is_made_again(tmp_path, monkeypatch):
    """Between the two, others remove it, or are about to."""
    held, taken = leftovers._held, []

    def first_taken(path):
        taken.append(path)
        if len(taken) == 1:
            path.unlink()
        if len(taken) == 2:
            descriptor = held(path)
            try:
                held(path)
            finally:
                path.unlink()
                os.close(descriptor)
        return held(path)

    monkeypatch.setattr(leftovers, "_held", first_taken)
    write_whole(tmp_path / "a.txt", "one")
    assert (len(taken), os.listdir(tmp_path)) == (3, ["a.txt"])


def test_nothing_is_removed_where_nothing_can_be_locked(tmp_path, monkeypatch):
    def without_locks(_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(leftovers, "lock", without_locks)
    (tmp_path / LEFT).touch()
    write_whole(tmp_path / "a.txt", "one")
    assert set(os.listdir(tmp_path)) == {"a.txt", LEFT}


def test_nothing_else_is_removed(tmp_path, monkeypatch):
    """Another name (as a ledger's), a link, a file with two names, a folder, a pipe, and what others own."""
    kept = tmp_path / "kept"
    kept.mkdir()
    for name in (".hushcount-0123456789abcdef.tmp", "hushcount-0123456789abcdef.part", f"{LEFT}2", "a.part"):
        (kept / name).touch()
    names = [LEFT.replace("0", str(number)) for number in range(1, 6)]
    (kept / names[0]).symlink_to(kept / "a.part")
    (kept / names[1]).touch()
    os.link(kept / names[1], kept / "second")
    (kept / names[2]).mkdir()
    os.mkfifo(kept / names[3])
    before = set(os.listdir(kept))
    write_whole(kept / "b.txt", "one")
    (kept / names[4]).touch()
    with monkeypatch.context() as patched:
        patched.setattr("os.geteuid", lambda: os.getuid() + 1)
        write_whole(kept / "b.txt", "two")
    assert set(os.listdir(kept)) == {*before, names[4], "b.txt"}
    write_whole(kept / "b.txt", "three")
    assert set(os.listdir(kept)) == {*before, "b.txt"}
