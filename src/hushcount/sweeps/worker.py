"""What a worker does: take one point after the other from standard input, and write a row for each to what was
standard output.

Both are streams of pickles. When standard input ends, the worker ends at once, whatever it is doing: whoever gave the
orders has no more, or is gone.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from queue import SimpleQueue

from hushcount.errors import BadUse, HushcountError
from hushcount.sweeps.grid import Point, Row

__all__ = ["evaluated", "serve"]

_ALONE = threading.Lock()


def evaluated(point: Point) -> Row:
    """Return the row of a point.

    Raises:
        BadUse: the library refuses the point, naming it.
    """
    with _ALONE:
        try:
            return point.row()
        except HushcountError as error:
            raise BadUse(f"at {point}: {error}") from None


def serve() -> None:
    """Answer each point with its row, or with the error that it raises."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # so that what a library prints is not taken for an answer
    points: SimpleQueue[Point] = SimpleQueue()
    threading.Thread(target=_listen, args=(points,), daemon=True).start()
    while True:
        try:
            answer: Row | Exception = evaluated(points.get())
        except Exception as error:
            answer = error
        answers.write(_pickled(answer))
        answers.flush()


def _pickled(answer: Row | Exception) -> bytes:
    try:
        return pickle.dumps(answer)
    except Exception:  # an error that holds something that cannot be pickled
        return pickle.dumps(RuntimeError(type(answer).__name__))


def _listen(points: SimpleQueue[Point]) -> None:
    try:
        while True:
            points.put(pickle.load(sys.stdin.buffer))
    finally:
        os._exit(0)
