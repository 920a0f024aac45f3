"""From a receipt back to the mechanism that drew it, and whether the receipt is still as it was issued."""

from __future__ import annotations

import math
from collections.abc import Mapping

from hushcount.errors import BadData, BadUse, InvalidParameter, type_of
from hushcount.mechanisms import Explicit, Mechanism
from hushcount.numbers.text import plain
from hushcount.release.guarantee import DISTANCES
from hushcount.release.law import Law
from hushcount.release.receipt import Receipt, ReceiptBase
from hushcount.release.table.receipt import TableReceipt
from hushcount.saved.chains import sha256_of
from hushcount.words.printable import printable

__all__ = ["check_possible", "law_of", "laws_of", "stated"]

_SAME = 2e-12
"""Chances within this of one another, relatively, count as equal; two versions of hushcount may each be off by
1e-12."""

_LEAST = 1e-300
"""Below this, floats have fewer digits."""


def law_of(receipt: Receipt, mechanism: Mechanism | None = None) -> Mechanism:
    """Return the mechanism that drew the released count.

    The chances that a receipt states follow from its mechanism, range, epsilon and delta, so they show whether one of
    these was changed by hand. (They do not show a change of a range far larger than 1 / epsilon, on which they no
    longer depend.) For a matrix, the SHA-256 is compared instead.

    Args:
        mechanism: the user's own mechanism, for an audited receipt only.

    Raises:
        InvalidParameter: not a receipt; or a mechanism that is missing, not needed, or not the one of the receipt.
        BadData: the receipt states chances that its mechanism does not have, or a count that it never releases.
    """
    if not isinstance(receipt, Receipt):
        raise InvalidParameter("receipt", type_of(receipt), "a Receipt; Receipt.from_json reads one")
    law = _named(receipt, receipt.maximum, mechanism)
    check_possible(law, receipt.released)
    if not isinstance(law, Explicit):
        _check_stated(receipt, [law])
    return law


def laws_of(receipt: TableReceipt, mechanism: Mechanism | None = None) -> dict[int, Mechanism]:
    """Return the mechanisms that drew the cells of a table, by the largest count; see `law_of`.

    Raises:
        InvalidParameter, BadData: as for `law_of`.
    """
    tops = set(receipt.tops) or {receipt.maximum or 0}  # of groups from the data, none may be shown
    laws = {top: _named(receipt, top, mechanism) for top in sorted(tops)}
    for top, released in set(zip(receipt.tops, receipt.released, strict=True)):
        check_possible(laws[top], released)
    if not any(isinstance(law, Explicit) for law in laws.values()):
        _check_stated(receipt, list(laws.values()))
    return laws


def _named(receipt: ReceiptBase, maximum: int, mechanism: Mechanism | None) -> Mechanism:
    if receipt.mechanism == "audited":
        return _brought_along(receipt, maximum, mechanism)
    if mechanism is not None:
        raise BadUse(f"a mechanism is needed for an audited one only; the receipt names {receipt.mechanism}")
    return Law(receipt.mechanism, receipt.promise, rows=receipt.moves).at(maximum)


def _check_stated(receipt: ReceiptBase, laws: list[Mechanism]) -> None:
    """Check that a receipt states the chances of the worst of its mechanisms."""
    real = {0: max(law.error_probability for law in laws)}
    real |= {t: max(law.probability_beyond(t) for law in laws) for t in DISTANCES}
    if not _is_same(stated(receipt), real):
        tops = f"maximum {laws[-1].n}" if len(laws) == 1 else f"maxima up to {laws[-1].n}"
        raise BadData(
            f"the receipt was changed since the release: the chances it states are not those of {laws[0].name} with "
            f"{tops}, {receipt.promise.in_words(plain, ' and ')}"
        )


def stated(receipt: ReceiptBase) -> dict[int, float]:
    """Return the chances of being off by more than 0, 1, 2 and 5, as a receipt has them."""
    return {0: receipt.error_probability, **receipt.chance_off_by_more_than}


def check_possible(law: Mechanism, released: int) -> None:
    """Check that a count can be released: a matrix, or what hides small counts, may make some impossible.

    Raises:
        BadData: the released count is impossible.
    """
    if released in law.never_released or (isinstance(law, Explicit) and not law.entries[:, released].any()):
        raise BadData(f"not a receipt of {printable(law.name)}, which never releases {released}")


def _is_same(stated: Mapping[int, float], real: Mapping[int, float]) -> bool:
    return all(math.isclose(stated[t], chance, rel_tol=_SAME, abs_tol=_LEAST) for t, chance in real.items())


def _brought_along(receipt: ReceiptBase, maximum: int, mechanism: Mechanism | None) -> Mechanism:
    found = receipt.audit
    assert found is not None
    if mechanism is None:
        rule = f"given: the receipt is of one that the user supplied, {printable(found.name)}"
        raise InvalidParameter("mechanism", None, rule)
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameter("mechanism", mechanism, "a Mechanism")
    sha256 = sha256_of(mechanism)
    if sha256 != found.matrix_sha256:
        was = "in closed form" if found.matrix_sha256 is None else f"SHA-256 {found.matrix_sha256}"
        rule = f"the one of the receipt, {printable(found.name)} ({was})"
        raise InvalidParameter("mechanism", f"SHA-256 {sha256}" if sha256 else mechanism.name, rule)
    if mechanism.n != maximum or (sha256 is None and mechanism.name != found.name):
        rule = f"the one of the receipt, {printable(found.name)} with counts 0 to {maximum}"
        raise InvalidParameter("mechanism", f"{mechanism.name} with counts 0 to {mechanism.n}", rule)
    return mechanism
