"""Why a file cannot be read, in one form wherever the system says it."""

from __future__ import annotations

__all__ = ["unreadable"]


def unreadable(where: object, error: Exception) -> str:
    """Return what to say of the file `where` that could not be opened or read."""
    if isinstance(error, FileNotFoundError):
        return f"{where} does not exist"
    return f"{where} cannot be read: {getattr(error, 'strerror', None) or error}"
