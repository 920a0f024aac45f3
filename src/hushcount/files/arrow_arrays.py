"""Arrow arrays without pandas, which pyarrow imports where it is installed.

Here are arrays of Python values, numbers of equal rows, texts that match a pattern, and casts whose failure is an
answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["arrow_array", "arrow_scalar", "cast_or_none", "matching", "row_numbers"]


def arrow_array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return the values as an Arrow array; None is null.

    Args:
        values: ints for int64, floats for float64, bools for bool, texts or bytes in UTF-8 for string and large_string.
        kind: one of these types.

    Raises:
        OverflowError: an int that int64 does not hold.
        UnicodeEncodeError: a text that UTF-8 cannot spell.
        pyarrow.ArrowInvalid: bytes for a string that are not UTF-8, or more than 2**31 - 1 of them together.
    """
    import numpy as np
    import pyarrow as pa

    def bits(truths: Iterable[bool]) -> pa.Buffer:
        return pa.py_buffer(np.packbits(np.fromiter(truths, bool, len(values)), bitorder="little"))

    held = bits(value is not None for value in values) if None in values else None
    if kind in (pa.string(), pa.large_string()):
        filled: Sequence[Any] = values if held is None else ["" if value is None else value for value in values]
        if set(map(type, filled)) <= {str} and (text := "".join(filled)).isascii():
            spelled = text.encode()
        else:
            filled = [value.encode() if isinstance(value, str) else value for value in filled]
            spelled = b"".join(filled)
        ends = np.zeros(len(values) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, filled), np.int64, len(values)), out=ends[1:])
        buffers = [held, pa.py_buffer(ends), pa.py_buffer(spelled)]
        return pa.Array.from_buffers(pa.large_binary(), len(values), buffers).cast(kind)
    if kind == pa.bool_():
        return pa.Array.from_buffers(kind, len(values), [held, bits(map(bool, values))])
    number = {"int64": np.int64, "double": np.float64}[str(kind)]
    filled = values if held is None else [0 if value is None else value for value in values]
    numbers = np.fromiter(filled, number, len(values))
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
