"""Mechanisms in files, with their parameters; what is read is bit for bit what was saved."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.files.whole_files import write_whole
from hushcount.inputs.arguments import path_text
from hushcount.inputs.stochastic import LARGEST_MATRIX
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.chain import Chain
from hushcount.mechanisms.explicit import Explicit, from_matrix
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number
from hushcount.privacy.made_private import made_private
from hushcount.privacy.mu.made_private import made_private_at_mu
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import promise_in, promise_of
from hushcount.saved.chains import SavedGaussianChain, SavedPointChain, saved_chain
from hushcount.saved.content import FORMAT, MATRIX, PAIRS, FileContent
from hushcount.saved.csv_form import csv_text, read_csv
from hushcount.saved.json_form import json_text, read_json
from hushcount.saved.mechanism import Saved, SavedMechanism
from hushcount.words.unreadable import unreadable

__all__ = ["form_of", "holds_mechanism", "is_matrix_enough", "read_mechanism", "save_mechanism"]

_FORMS = {".csv": csv_text, ".json": json_text}
_HELD = re.compile(r"(?:points|shifts)\[([0-9]+)\]")


def save_mechanism(
    mechanism_or_matrix: Mechanism | ArrayLike,
    path: str | os.PathLike[str],
    *,
    epsilon: Number | Curve | None = None,
    delta: Number | None = None,
    mu: Number | None = None,
    rho: Number | None = None,
    name: str | None = None,
    notes: Mapping[str, str] | None = None,
) -> Saved:
    """Write a mechanism to a file, with the promise claimed of it (docs/mechanism-files.md).

    A mechanism told by a chain (`nearest` and `within` under mu or several pairs, and designs) is written as its n
    thresholds: it is read back with the same law, and as private by proof. All others, and those of at most 4,096
    outcomes whose claim is one epsilon and delta, are written as matrices. The claim of a matrix is kept exactly and is
    not judged: `audit` does that, and so does a release that uses the file. What a
    mechanism proves of itself is kept by the floats of its matrix too (`made_private`).

    The file is written whole or not at all, and replaces an earlier one of that name.

    Args:
        mechanism_or_matrix: a chain of at most 2^20 outcomes, another mechanism of at most 4,096 outcomes (its matrix
            is saved), or a matrix as `from_matrix` takes it; floats are saved as they are, -0.0 as 0.0.
        path: ends in `.csv` (numbers with a few lines of comment on top; a matrix is read by `read_matrix` too) or
            `.json`.
        epsilon, delta, mu, rho: the claim, as for `nearest`; kept exactly. By default that of the mechanism, as it is
            proved or was saved; where it has none, one is required. Of a chain, another claim than what it proves is
            one about its matrix.
        name: what a receipt calls the mechanism, one line of at most 60 characters; by default the mechanism's own
            name.
        notes: what else to say of it, by key; see `Saved`. By default those of the mechanism, if it was saved.

    Returns:
        What `read_mechanism(path)` returns.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it; a path with another ending, or one that cannot be written.
        TooLarge: more outcomes.
    """
    where, form = _path(path), form_of(path)
    claim = _claim(mechanism_or_matrix, epsilon, delta, mu, rho)
    saved = _saved(mechanism_or_matrix, claim, name, notes)
    try:
        write_whole(Path(os.path.realpath(where)), form(saved))
    except OSError as error:
        raise BadUse(f"{where}: cannot be written ({error.strerror or error})") from None
    return saved


def is_matrix_enough(claim: Curve, n: int) -> bool:
    """Return whether a matrix with one epsilon and delta can say it all."""
    return isinstance(claim, EpsilonDelta) and n < LARGEST_MATRIX


def form_of(path: str | os.PathLike[str]) -> Callable[[Saved], str]:
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


def read_mechanism(path: str | os.PathLike[str]) -> Saved:
    """Return the mechanism in a file, as `save_mechanism` wrote it: a `SavedMechanism`, which is a matrix, or a chain.

    A chain is checked to be one, so that it is private by proof; the claim of a matrix is not judged.

    Args:
        path: the file, whatever its name: JSON if its first character (blanks aside) is `{`, else CSV.

    Raises:
        InvalidParameter: not a path.
        BadData: the file cannot be read, or is not a saved mechanism; the message names the file and, if there is one,
            the line.
    """
    where = _path(path)
    try:
        content = read_json(where) if _start(where).startswith(b"{") else read_csv(where)
    except OSError as error:
        raise BadData(unreadable(where, error)) from None
    return _checked(where, content)


def holds_mechanism(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as JSON or as CSV of version 2, which `read_matrix` does not read.

    That of version 1 is a matrix, for people to edit. False for a file that cannot be read.
    """
    with suppress(OSError):
        return _start(_path(path)).startswith((b"{", f"# {FORMAT} 2".encode()))
    return False


def _claim(
    given: Mechanism | ArrayLike,
    epsilon: Number | Curve | None,
    delta: Number | None,
    mu: Number | None,
    rho: Number | None,
) -> Curve:
    """Return what is claimed: what is asked for, or else what the mechanism claims of itself."""
    own: Curve | None = None
    if isinstance(given, Saved):
        own = given.claim
    elif isinstance(given, Mechanism):
        own = given.proven_privacy
        if given.epsilon is not None:
            own = EpsilonDelta.of(given.epsilon, given.delta or 0)
    if epsilon is mu is rho is None and own is not None:
        if delta is None:
            return own
        if isinstance(own, EpsilonDelta):
            epsilon = own.epsilon
    if epsilon is mu is rho is None:
        raise InvalidParameter("epsilon", None, "given: the mechanism itself claims none")
    if delta is None and isinstance(own, EpsilonDelta) and mu is rho is None and not isinstance(epsilon, Curve):
        delta = own.delta
    return promise_of(epsilon, 0 if delta is None else delta, mu=mu, rho=rho)


def _saved(given: Mechanism | ArrayLike, claim: Curve, name: str | None, notes: Mapping[str, str] | None) -> Saved:
    if name is None:
        name = given.name if isinstance(given, Mechanism) else Explicit.name
    if notes is None:
        notes = given.notes if isinstance(given, Saved) else {}
    if isinstance(given, Chain) and claim == given.promise and not is_matrix_enough(claim, given.n):
        return saved_chain(given, name, notes)
    return SavedMechanism(_entries(given), claim, name, notes)


def _entries(given: Mechanism | ArrayLike) -> Floats:
    if isinstance(given, Explicit):
        return given.entries  # matrix() divides rows by their sums, which gives other floats
    if not isinstance(given, Mechanism):
        return from_matrix(given).entries
    matrix, proven = given.matrix(), given.proven_privacy
    if isinstance(proven, GaussianDP):
        return made_private_at_mu(matrix, proven)
    return made_private(matrix, proven) if isinstance(proven, EpsilonDelta) else matrix


def _checked(where: Path, content: FileContent) -> Saved:
    fields = content.fields
    missing = [key for key in (*(("epsilon", "delta") if content.version == 1 else ()), "name") if key not in fields]
    if missing:
        raise BadData(f"{where}: {missing[0]} must be there")
    try:
        found = _made(where, content, promise_in(fields))
    except InvalidParameter as error:
        raise BadData(f"{where}: {_place(content, error.argument)}{error}") from None
    except BadUse as error:
        raise BadData(f"{where}: {error}") from None
    if fields.get("sha256", found.sha256) != found.sha256:
        what = "matrix is not the one that was" if content.form == MATRIX else f"{content.form} are not those that were"
        raise BadData(
            f"{where}: {_place(content, 'sha256')}the {what} saved (its SHA-256 is {found.sha256}); if that is meant, "
            "leave sha256 out"
        )
    return found


def _made(where: Path, content: FileContent, claim: Curve) -> Saved:
    n, name, notes, form = content.n, content.fields["name"], content.notes, content.form
    if form == MATRIX:
        return SavedMechanism(np.array(content.numbers), claim, name, notes)
    if isinstance(claim, GaussianDP) != (form == "shifts"):
        raise BadData(f"{where}: shifts are of a promise of mu_squared, points of one of epsilon and delta or pairs")
    given: tuple[float, ...] = tuple(content.numbers)  # type: ignore[arg-type]
    if isinstance(claim, GaussianDP):
        return SavedGaussianChain(n, claim, given, name, notes)
    return SavedPointChain(n, claim, given, form == "lower_points", name, notes)  # type: ignore[arg-type]


def _place(content: FileContent, argument: str) -> str:
    """Return the line of a field, note or number, where it is known."""
    held = _HELD.fullmatch(argument)
    if held and content.lines:
        return f"line {content.lines[int(held[1])]}: "
    found = content.places.get(argument.removeprefix("note "))
    return (content.places.get(PAIRS, "") if argument in ("epsilon", "delta") else "") if found is None else found


def _start(where: Path) -> bytes:
    """Return how a file begins, without a byte-order mark and blanks."""
    with where.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")


def _path(path: str | os.PathLike[str]) -> Path:
    spelled = path_text(path, "path")
    with suppress(UnicodeEncodeError):
        if b"\0" not in os.fsencode(spelled):
            return Path(spelled)
    raise InvalidParameter("path", path, "the path of a file, as text or Path")
