"""The files that a release reads, over which nothing may be written."""

from __future__ import annotations

import os

from hushcount.release.subject import Subject

__all__ = ["inputs_of"]

_BESIDE = ("-journal", "-wal", "-shm", ".wal")
"""The endings of the files that a database keeps beside its own; a file of that name would be taken for a part of
it."""


def inputs_of(subject: Subject, ledger: str | None, *files: str | None) -> list[str]:
    """Return the files, and for Spark the folders, that must not be written over or added to, whether they exist or
    not."""
    kept = [] if ledger is None else [ledger.removeprefix("sqlite:///")]
    # What is not a file may be a list of keys, and happen to name a folder
    kept = [*subject.paths, *(file for file in kept if os.path.isfile(file))]
    beside = [f"{os.path.realpath(file)}{end}" for file in kept if os.path.isfile(file) for end in _BESIDE]
    return [*kept, *beside, *(file for file in files if file and os.path.isfile(file))]
