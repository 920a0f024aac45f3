"""The one way that data takes: source and predicate, true count, range, draw, receipt."""

from __future__ import annotations

import uuid
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hushcount._version import __version__
from hushcount.arguments import path_text
from hushcount.counting import ReadOptions, count_matching, public_range
from hushcount.errors import InvalidParameter
from hushcount.exact import Number
from hushcount.release.guarantee import figures, neighbours, offered
from hushcount.release.receipt import SCHEMA_VERSION, Reading, Receipt

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism

__all__ = ["release_count"]

_DEFAULTS = ReadOptions()


def release_count(
    source: str | Path,
    where: str,
    epsilon: Number,
    delta: Number = 0,
    *,
    adjacency: str = "replace-one",
    max_count: int | None = None,
    mechanism: str | Mechanism = "nearest",
    options: ReadOptions = _DEFAULTS,
) -> Receipt:
    """Release how many rows of `source` satisfy `where`, with (epsilon, delta)-differential privacy.

    The true count lives in this call only: it is not logged, not returned and in no error. The randomness is the
    operating system's; there is no way to seed it. Each call spends its epsilon and delta anew and nothing here adds
    them up: k releases about the same rows promise no more than (k epsilon, k delta) together. A ledger that keeps the
    sum comes with a later version.

    Args:
        source: a CSV (also .gz), Parquet, DuckDB or SQLite file.
        where: one SQL condition on the columns of a row; a row for which it is NULL does not count.
        epsilon: finite, >= 0; float, int, Fraction, Decimal or text, taken exactly.
        delta: >= 0 and < 1, taken exactly; the default 0 is pure differential privacy.
        adjacency: what one change to the data is: "replace-one" (the number of rows n is public, and the range is
            0..n) or "add-remove" (the number of rows is secret, and the range is 0..max_count).
        max_count: required under "add-remove", refused under "replace-one"; chosen without looking at the data. A true
            count above it is treated as `max_count`, silently.
        mechanism: "nearest" (default) or "canonical", which are private by proof, or any other mechanism
            (`load_mechanism`, `from_matrix`), which must have the range of the release. It is audited first, at
            (epsilon, delta) and whatever it claims itself, and refused unless it is private.
        options: how the source is to be read; see `ReadOptions`.

    Raises:
        BadUse: a parameter, an option or the predicate breaks its rule, or the mechanism is not private; found before
            any data is read, save a column that the source does not have, and under "replace-one" a mechanism for
            another number of rows.
        BadData: the source does not hold what was declared of it.
    """
    path = path_text(source, "source")
    if not isinstance(options, ReadOptions):
        raise InvalidParameter("options", options, "a ReadOptions")
    for argument, text in [
        ("where", where),
        ("table", options.table or ""),
        *(("types", name) for name in options.types),
    ]:
        _check_text(argument, text)
    # Everything is checked here, before any data is read; only the number of rows is missing.
    relation = neighbours(adjacency)
    least_n = public_range(relation, 0, max_count)
    law = offered(mechanism, epsilon, delta)
    if max_count is not None:  # then n is known already
        law(least_n)
    name, reading = _file_name(path), Reading.of(options)

    tally = count_matching(path, where, options)
    chosen = law(public_range(relation, tally.rows, max_count))
    promised = figures(chosen, relation)
    released = int(chosen.draw(min(tally.matching, chosen.n)))
    return Receipt.model_validate(
        {
            **asdict(promised),
            "schema_version": SCHEMA_VERSION,
            "released": released,
            "where": where,
            "predicate": tally.predicate,
            "source": name,
            "table": options.table,
            "reading": reading,
            "hushcount_version": __version__,
            "released_at": datetime.now(UTC).replace(microsecond=0),
            "receipt_id": uuid.uuid4(),
        }
    )


def _check_text(argument: str, text: str) -> None:
    # The receipt repeats it and must not fail to be written once the count is drawn.
    if not isinstance(text, str):
        raise InvalidParameter(argument, text, "a text")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidParameter(argument, text, "text that UTF-8 can spell") from None


def _file_name(path: str) -> str:
    # A receipt is UTF-8; a file name on disk need not be.
    return Path(path).name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
