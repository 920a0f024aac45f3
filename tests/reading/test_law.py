"""From a receipt to its mechanism: what is checked, and how a receipt that was changed by hand is found out."""

import json

import numpy as np
import pytest
from receipts import receipt_of

from hushcount import Receipt, canonical, from_matrix, nearest
from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.mechanisms import truncated_geometric
from hushcount.reading.law import law_of
from hushcount.release.receipt import SCHEMA_VERSION

MATRIX = from_matrix([[0.5, 0.25, 0.25, 0], [0.25, 0.5, 0.25, 0], [0.25, 0.25, 0.5, 0], [0.25, 0.25, 0.5, 0]])


def edited(receipt, **changes):
    """As somebody with a text editor would."""
    return Receipt.from_json(json.dumps(json.loads(receipt.to_json()) | changes))


@pytest.mark.parametrize("make", [nearest, canonical])
@pytest.mark.parametrize("n", [0, 1, 2, 40, 10**12])
@pytest.mark.parametrize(("epsilon", "delta"), [("0", "0"), ("1/3", "1e-9"), ("1e-400", "0"), ("1000", "0.5")])
def test_closed_forms(make, n, epsilon, delta):
    receipt = receipt_of(make.__name__, n, epsilon, delta, released=n // 2)
    assert law_of(receipt) == make(n, epsilon, delta)
    assert law_of(Receipt.from_json(receipt.to_json())) == make(n, epsilon, delta)


@pytest.mark.parametrize(
    "changes",
    [
        {"maximum": 21},
        {"maximum": 2000},
        {"epsilon": "0.51"},
        {"epsilon": "0.50000000001"},
        {"delta": "0.0001"},
        {"mechanism": "canonical"},
        {"error_probability": 0.1},
        {"chance_off_by_more_than": {"1": 0.1, "2": 0.01, "5": 0.0}},
    ],
)
def test_a_receipt_that_was_changed(changes):
    with pytest.raises(BadData, match="the receipt was changed since the release: the chances it states are not those"):
        law_of(edited(receipt_of("nearest", 20, "0.5", released=3), **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"released": 21}, "released must be from minimum to maximum"),
        ({"released": -1}, "greater than or equal to 0"),
        ({"released": 3.5}, "valid integer"),
        ({"schema_version": SCHEMA_VERSION + 1}, "a newer hushcount is needed"),
        ({"schema_version": 0}, "schema_version"),
        ({"minimum": 1}, "minimum"),
        ({"mechanism": "audited"}, "audit must be there"),
        ({"mechanism": "best"}, "mechanism"),
        ({"epsilon": 0.5}, "epsilon"),
        ({"epsilon": "-0.5"}, "epsilon"),
        ({"delta": "1"}, "delta"),
        ({"more": 1}, "more"),
    ],
)
def test_no_receipt_at_all(changes, message):
    with pytest.raises(BadData, match=message):
        edited(receipt_of("nearest", 20, "0.5", released=3), **changes)


def test_what_is_released_may_be_edited_unseen():
    """Nothing in a receipt depends on the released count: a false one within the range cannot be told."""
    assert law_of(edited(receipt_of("nearest", 20, "0.5", released=3), released=4)) == nearest(20, "0.5")


@pytest.mark.parametrize("receipt", [None, "receipt.json", {"released": 3}])
def test_no_receipt(receipt):
    with pytest.raises(InvalidParameter, match=r"receipt must be a Receipt; Receipt.from_json reads one"):
        law_of(receipt)


# --- mechanisms that were brought along -------------------------------------------------------------------------------


def test_matrix():
    receipt = receipt_of(MATRIX, 3, "0.7", released=1)
    same = from_matrix(np.array(MATRIX.entries))
    assert law_of(receipt, same) is same
    with pytest.raises(InvalidParameter, match="mechanism must be given: the receipt is of one that the user supplied"):
        law_of(receipt)
    with pytest.raises(InvalidParameter, match="mechanism must be a Mechanism"):
        law_of(receipt, MATRIX.entries)
    for other in (from_matrix(np.eye(4)), from_matrix(np.eye(3)), nearest(3, "0.7")):
        with pytest.raises(InvalidParameter, match=r"the one of the receipt, explicit \(SHA-256 [0-9a-f]{64}\)"):
            law_of(receipt, other)


def test_matrix_of_another_range():
    receipt = receipt_of(MATRIX, 3, "0.7", released=1)
    with pytest.raises(InvalidParameter, match=r"explicit with counts 0 to 4 .got 'explicit with counts 0 to 3'"):
        law_of(edited(receipt, maximum=4), MATRIX)


def test_a_count_that_is_never_released():
    with pytest.raises(BadData, match="not a receipt of explicit, which never releases 3"):
        law_of(edited(receipt_of(MATRIX, 3, "0.7", released=1), released=3), MATRIX)


def test_closed_form_that_was_brought_along():
    mechanism = truncated_geometric(20, "0.5")
    receipt = receipt_of(mechanism, 20, "0.5", released=1)
    assert law_of(receipt, mechanism) is mechanism
    with pytest.raises(InvalidParameter, match=r"truncated-geometric \(in closed form\)"):
        law_of(receipt, from_matrix(np.eye(21)))
    with pytest.raises(InvalidParameter, match="truncated-geometric with counts 0 to 20"):
        law_of(receipt, nearest(20, "0.5"))
    with pytest.raises(BadData, match="the chances it states are not those of truncated-geometric"):
        law_of(receipt, truncated_geometric(20, "0.4"))


def test_a_mechanism_that_is_not_needed():
    with pytest.raises(BadUse, match="needed for an audited one only; the receipt names nearest"):
        law_of(receipt_of("nearest", 3, 1, released=1), MATRIX)


def test_a_receipt_of_what_is_never_invented():
    receipt = receipt_of("never-invented", 40, 1, "1e-5", released=12)
    assert receipt.schema_version == 2
    assert law_of(Receipt.from_json(receipt.to_json())) == nearest(40, 1, "1e-5", never_invented=True)
    for never in (1, 10):
        with pytest.raises(BadData, match=f"not a receipt of never-invented, which never releases {never}$"):
            law_of(edited(receipt, released=never))
    with pytest.raises(BadData, match="never-invented where not every delta is above 0"):
        edited(receipt, delta="0")
    with pytest.raises(BadData, match="the receipt was changed since the release"):
        law_of(edited(receipt, mechanism="nearest", schema_version=1))
