"""Arrow arrays without pandas, which pyarrow imports where it is installed.

Here are arrays of Python values, numbers of equal rows, texts that match a pattern, and casts whose failure is an
answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["arrow_array", "arrow_scalar", "cast_or_none", "matching", "row_numbers"]


def arrow_array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return the values as an Arrow array; None is null.

    Args:
        values: ints for int64, floats for float64, bools for bool, texts or bytes in UTF-8 for string.
        kind: one of these types.

    Raises:
        OverflowError: an int that int64 does not hold.
        UnicodeEncodeError: a text that UTF-8 cannot spell.
        pyarrow.ArrowInvalid: bytes for a string that are not UTF-8, or more than 2**31 - 1 of them together.
    """
    import numpy as np
    import pyarrow as pa

    def bits(truths: list[bool]) -> pa.Buffer:
        return pa.py_buffer(np.packbits(np.array(truths, bool), bitorder="little"))

    held = bits([value is not None for value in values])
    if kind == pa.string():
        spelled = [b"" if v is None else v.encode() if isinstance(v, str) else v for v in values]
        ends = pa.py_buffer(np.cumsum([0, *map(len, spelled)], dtype=np.int64))
        buffers = [held, ends, pa.py_buffer(b"".join(spelled))]
        return pa.Array.from_buffers(pa.large_binary(), len(values), buffers).cast(kind)
    if kind == pa.bool_():
        return pa.Array.from_buffers(kind, len(values), [held, bits([bool(v) for v in values])])
    numbers = np.array([0 if v is None else v for v in values], {"int64": "int64", "double": "float64"}[str(kind)])
    return pa.Array.from_buffers(kind, len(values), [held, pa.py_buffer(numbers)])


def arrow_scalar(value: Any, kind: pa.DataType) -> pa.Scalar:
    """Return one value as an Arrow scalar, as `arrow_array` does for several."""
    return arrow_array([value], kind)[0]


def row_numbers(columns: Sequence[pa.Array]) -> NDArray[np.int64]:
    """Return a number for each row, the same for rows that are equal in all columns, null being equal to null."""
    import numpy as np

    numbers = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        encoded = column.dictionary_encode(null_encoding="encode")
        numbers = numbers * len(encoded.dictionary) + np.asarray(np.from_dlpack(encoded.indices), np.int64)
        numbers = np.unique(numbers, return_inverse=True)[1]
    return numbers


def matching(texts: Any, pattern: str) -> Any:
    """Return for each text whether a regular expression matches the whole of it; null for null."""
    import pyarrow.compute as pc

    return pc.match_substring_regex(texts, rf"\A(?:{pattern})\z")


def cast_or_none(values: Any, kind: pa.DataType) -> Any:
    """Return an array or chunked array in another type, or None if a value does not fit it."""
    import pyarrow as pa

    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        return None
