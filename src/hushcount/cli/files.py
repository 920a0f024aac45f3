"""Writing a receipt so that it is there whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from hushcount.errors import BadUse, InvalidParameter

__all__ = ["checked_target", "write_whole"]


def checked_target(output: str, source: str) -> Path:
    """The file that `output` names, links followed, once it is known that a receipt can be written there.

    Raises:
        InvalidParameter: no such folder, not writable, not an ordinary file, or the source itself.
    """
    target = Path(os.path.realpath(output))
    try:
        if target.exists():
            if not target.is_file():
                raise InvalidParameter("output", output, "the name of an ordinary file")
            if Path(source).exists() and target.samefile(source):
                raise InvalidParameter("output", output, "another file than the source")
            if not os.access(target, os.W_OK):
                raise InvalidParameter("output", output, "a file that may be replaced: it is write-protected")
        if not target.parent.is_dir():
            raise InvalidParameter("output", output, "in a folder that exists")
        # The only sure test of a place is to write there; nothing is left behind while the data is read.
        _new_file(target.parent).unlink()
    except (OSError, ValueError) as error:
        raise _refused(output, error) from None
    return target


def write_whole(target: Path, text: str) -> None:
    """Write `text` to `target` in one step, seen by others before or after but never in part.

    Raises:
        BadUse: the place ceased to be writable, or is full.
    """
    temporary: Path | None = None
    try:
        temporary = _new_file(target.parent)
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise BadUse(f"the receipt could not be written, and nothing was released: {error.strerror}") from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _new_file(folder: Path) -> Path:
    path = folder / f".hushcount-{secrets.token_hex(8)}.tmp"
    # Not tempfile, whose files only their owner may read: a receipt is made to be handed on.
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    return path


def _refused(output: str, error: Exception) -> Exception:
    if isinstance(error, InvalidParameter):
        return error
    reason = error.strerror if isinstance(error, OSError) else "not a file name"
    return InvalidParameter("output", output, f"a file that can be written: {reason}")
