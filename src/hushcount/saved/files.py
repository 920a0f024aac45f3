"""Mechanisms in files, with their parameters; what is read is bit for bit what was saved."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.files.whole_files import write_whole
from hushcount.inputs.arguments import path_text
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.explicit import Explicit, from_matrix
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number
from hushcount.privacy.made_private import made_private
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.saved.file_forms import FileContent, csv_text, json_text, read_csv, read_json
from hushcount.saved.saved import SavedMechanism

__all__ = ["form_of", "read_mechanism", "save_mechanism"]

_FORMS = {".csv": csv_text, ".json": json_text}


def save_mechanism(
    mechanism_or_matrix: Mechanism | ArrayLike,
    path: str | os.PathLike[str],
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    name: str | None = None,
    notes: Mapping[str, str] | None = None,
) -> SavedMechanism:
    """Write a mechanism to a file, with the (epsilon, delta) claimed of it (docs/mechanism-files.md).

    The claim is kept exactly and is not judged: `audit` does that, and so does a release that uses the file. The file
    is written whole or not at all, and replaces an earlier one of that name. A mechanism in closed form whose privacy
    is proved is rounded to a matrix of floats that is as private (`made_private`).

    Args:
        mechanism_or_matrix: a mechanism of at most 4,096 outcomes (its matrix is saved), or a matrix as `from_matrix`
            takes it; floats are saved as they are, -0.0 as 0.0.
        path: ends in `.csv` (a table with a few lines of comment on top, which `read_matrix` reads too) or `.json`.
        epsilon, delta: the claim, epsilon >= 0 in nats and 0 <= delta < 1; kept exactly. By default that of the
            mechanism; where it has none, epsilon is required and delta is 0.
        name: what a receipt calls the mechanism, one line of at most 60 characters; by default the mechanism's own
            name.
        notes: what else to say of it, by key; see `SavedMechanism`. By default those of the mechanism, if it is a
            `SavedMechanism`.

    Returns:
        What `read_mechanism(path)` returns.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it; a path with another ending, or one that cannot be written.
        TooLarge: more than 4,096 outcomes.
    """
    where, form = _path(path), form_of(path)
    saved = _saved(mechanism_or_matrix, epsilon, delta, name, notes)
    try:
        write_whole(Path(os.path.realpath(where)), form(saved))
    except OSError as error:
        raise BadUse(f"{where}: cannot be written ({error.strerror or error})") from None
    return saved


def form_of(path: str | os.PathLike[str]) -> Callable[[SavedMechanism], str]:
    """Return the function that writes a file of that name.

    Raises:
        InvalidParameter: not a path.
        BadUse: another ending than `.csv` or `.json`.
    """
    where = _path(path)
    form = _FORMS.get(where.suffix.lower())
    if form is None:
        raise BadUse(f"{where}: the name must end in .csv or .json, which says how it is written")
    return form


def read_mechanism(path: str | os.PathLike[str]) -> SavedMechanism:
    """Return the mechanism in a file, as `save_mechanism` wrote it.

    Args:
        path: the file, whatever its name: JSON if its first character (blanks aside) is `{`, else CSV.

    Raises:
        InvalidParameter: not a path.
        BadData: the file cannot be read, or is not a saved mechanism; the message names the file and, if there is one,
            the line.
    """
    where = _path(path)
    try:
        content = read_json(where) if _is_json(where) else read_csv(where)
    except OSError as error:
        raise BadData(f"{where}: cannot be read ({error.strerror or error})") from None
    return _checked(where, content)


def _saved(
    given: Mechanism | ArrayLike,
    epsilon: Number | None,
    delta: Number | None,
    name: str | None,
    notes: Mapping[str, str] | None,
) -> SavedMechanism:
    own_epsilon, own_delta, own_name = None, None, Explicit.name
    own_notes: Mapping[str, str] = {}
    if isinstance(given, Mechanism):
        own_epsilon, own_delta, own_name = given.epsilon, given.delta, given.name
    if isinstance(given, SavedMechanism):
        own_epsilon, own_delta, own_notes = given.claim.epsilon, given.claim.delta, given.notes
    if epsilon is None and own_epsilon is None:
        raise InvalidParameter("epsilon", None, "given: the mechanism itself claims none")
    claim = EpsilonDelta.of(
        own_epsilon if epsilon is None else epsilon,  # type: ignore[arg-type]
        (own_delta or 0) if delta is None else delta,
    )
    return SavedMechanism(
        _entries(given), claim, own_name if name is None else name, own_notes if notes is None else notes
    )


def _entries(given: Mechanism | ArrayLike) -> Floats:
    if isinstance(given, Explicit):
        return given.entries  # matrix() divides rows by their sums, which gives other floats
    if not isinstance(given, Mechanism):
        return from_matrix(given).entries
    matrix, proven = given.matrix(), given.proven_privacy
    return made_private(matrix, proven) if isinstance(proven, EpsilonDelta) else matrix


def _checked(where: Path, content: FileContent) -> SavedMechanism:
    texts = dict(content.texts)
    missing = [key for key in ("epsilon", "delta", "name") if key not in texts]
    if missing:
        raise BadData(f"{where}: {missing[0]} must be there")
    try:
        claim = EpsilonDelta.of(texts["epsilon"], texts["delta"])
        found = SavedMechanism(np.array(content.rows), claim, texts["name"], content.notes)
    except InvalidParameter as error:
        place = content.places.get(error.argument.removeprefix("note "), "")
        raise BadData(f"{where}: {place}{error}") from None
    except BadUse as error:
        raise BadData(f"{where}: {error}") from None
    if texts.get("sha256", found.sha256) != found.sha256:
        place = content.places.get("sha256", "")
        raise BadData(
            f"{where}: {place}the matrix is not the one that was saved (its SHA-256 is {found.sha256}); if that is "
            "meant, leave sha256 out"
        )
    return found


def _is_json(where: Path) -> bool:
    with where.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(b"{")


def _path(path: str | os.PathLike[str]) -> Path:
    spelled = path_text(path, "path")
    with suppress(UnicodeEncodeError):
        if b"\0" not in os.fsencode(spelled):
            return Path(spelled)
    raise InvalidParameter("path", path, "the path of a file, as text or Path")
