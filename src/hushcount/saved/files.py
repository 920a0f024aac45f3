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
from hushcount.privacy.mu.made_private import made_private_at_mu
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import from_fields, promise_of
from hushcount.saved.file_forms import FileContent, csv_text, json_text, read_csv, read_json
from hushcount.saved.mechanism import Claim, SavedMechanism

__all__ = ["form_of", "read_mechanism", "save_mechanism"]

_FORMS = {".csv": csv_text, ".json": json_text}


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
) -> SavedMechanism:
    """Write a mechanism to a file, with what is claimed of it: epsilon and delta, or mu (docs/mechanism-files.md).

    The claim is kept exactly and is not judged: `audit` does that, and so does a release that uses the file. The file
    is written whole or not at all, and replaces an earlier one of that name. A mechanism in closed form whose privacy
    is proved is rounded to a matrix of floats that is as private (`made_private`).

    Args:
        mechanism_or_matrix: a mechanism of at most 4,096 outcomes (its matrix is saved), or a matrix as `from_matrix`
            takes it; floats are saved as they are, -0.0 as 0.0.
        path: ends in `.csv` (a table with a few lines of comment on top, which `read_matrix` reads too) or `.json`.
        epsilon, delta: the claim, epsilon >= 0 in nats and 0 <= delta < 1; kept exactly. By default that of the
            mechanism; where it has none, epsilon or mu is required, and delta is 0. Or an `EpsilonDelta` or
            `GaussianDP` as epsilon, and nothing else.
        mu, rho: in place of epsilon and delta, a claim of Gaussian differential privacy; > 0, kept exactly.
        name: what a receipt calls the mechanism, one line of at most 60 characters; by default the mechanism's own
            name.
        notes: what else to say of it, by key; see `SavedMechanism`. By default those of the mechanism, if it is a
            `SavedMechanism`.

    Returns:
        What `read_mechanism(path)` returns.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it; a promise of several pairs; a path with another ending, or
            one that cannot be written.
        TooLarge: more than 4,096 outcomes.
    """
    where, form = _path(path), form_of(path)
    claim = _claim(mechanism_or_matrix, epsilon, delta, mu, rho)
    saved = _saved(mechanism_or_matrix, claim, name, notes)
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


def _claim(
    given: Mechanism | ArrayLike,
    epsilon: Number | Curve | None,
    delta: Number | None,
    mu: Number | None,
    rho: Number | None,
) -> Claim:
    own = _own_claim(given)
    if epsilon is mu is rho is None:
        if own is None:
            raise InvalidParameter("epsilon", None, "given: the mechanism itself claims none")
        epsilon = own.epsilon if isinstance(own, EpsilonDelta) else own
    if delta is None and isinstance(own, EpsilonDelta) and epsilon is not None and not isinstance(epsilon, Curve):
        delta = own.delta
    claim = promise_of(epsilon, 0 if delta is None else delta, mu=mu, rho=rho)
    if not isinstance(claim, Claim):
        raise BadUse(f"a mechanism file claims one epsilon and delta, or mu (this is about {claim.in_words()})")
    return claim


def _own_claim(given: Mechanism | ArrayLike) -> Claim | None:
    if isinstance(given, SavedMechanism):
        return given.claim
    if not isinstance(given, Mechanism):
        return None
    if given.epsilon is not None:
        return EpsilonDelta.of(given.epsilon, given.delta or 0)
    return given.proven_privacy if isinstance(given.proven_privacy, GaussianDP) else None


def _saved(
    given: Mechanism | ArrayLike, claim: Claim, name: str | None, notes: Mapping[str, str] | None
) -> SavedMechanism:
    own_name = given.name if isinstance(given, Mechanism) else Explicit.name
    own_notes = given.notes if isinstance(given, SavedMechanism) else {}
    return SavedMechanism(
        _entries(given), claim, own_name if name is None else name, own_notes if notes is None else notes
    )


def _entries(given: Mechanism | ArrayLike) -> Floats:
    if isinstance(given, Explicit):
        return given.entries  # matrix() divides rows by their sums, which gives other floats
    if not isinstance(given, Mechanism):
        return from_matrix(given).entries
    matrix, proven = given.matrix(), given.proven_privacy
    if isinstance(proven, GaussianDP):
        return made_private_at_mu(matrix, proven)
    return made_private(matrix, proven) if isinstance(proven, EpsilonDelta) else matrix


def _checked(where: Path, content: FileContent) -> SavedMechanism:
    texts = dict(content.texts)
    needed = ["mu_squared", "name"] if "mu_squared" in texts else ["epsilon", "delta", "name"]
    missing = [key for key in needed if key not in texts]
    if missing:
        raise BadData(f"{where}: {missing[0]} must be there")
    try:
        claim = from_fields({key: texts[key] for key in ("epsilon", "delta", "mu_squared") if key in texts})
        assert isinstance(claim, Claim)
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
