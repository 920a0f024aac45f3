"""Receipts: what they hold, what they refuse, and that nothing is lost on the way through JSON."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
import uuid
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction

import jsonschema
import pytest
from hypothesis import given, strategies as st
from pydantic import ValidationError

from hushcount.counting import ReadOptions
from hushcount.errors import BadData
from hushcount.numbers.exact import exact_text
from hushcount.release.receipt import LedgerFacts, Reading, Receipt, schema_text
from hushcount.release.text import explain

SCHEMA = jsonschema.Draft202012Validator(json.loads(schema_text()))
FIELDS = {
    "schema_version": 1,
    "released": 3,
    "minimum": 0,
    "maximum": 10,
    "epsilon": "0.5",
    "delta": "0",
    "adjacency": "replace-one",
    "adjacency_meaning": "One row may change.",
    "mechanism": "nearest",
    "audit": None,
    "unit": None,
    "where": "name = 'René'",
    "predicate": "name = 'René'",
    "source": "people.csv",
    "table": None,
    "reading": Reading.of(ReadOptions(types={"a=b": "text"})),
    "error_probability": 0.1 + 0.2,
    "chance_off_by_more_than": {1: 0.25, 2: 5e-324, 5: 0.0},
    "hushcount_version": "0.1.0",
    "released_at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    "receipt_id": uuid.UUID("1b4e28ba-2fa1-4d2e-883f-0016d3cca427"),
    "ledger": None,
}
LEDGER = {
    "budget": "people",
    "request_id": "2026-11",
    "entry": 2,
    "entry_sha256": "0f" * 32,
    "left_epsilon": "0.5",
    "left_delta": "0",
}

AUDIT = {"name": "my design", "matrix_sha256": "0f" * 32, "least_delta": 1e-7}


def receipt(**changes):
    return Receipt.model_validate({**FIELDS, **changes})


def test_json():
    text = receipt().to_json()
    assert text.isascii()
    assert text.endswith("}\n")
    answer = json.loads(text)
    assert list(answer) == list(FIELDS)
    assert answer["released_at"] == "2026-01-02T03:04:05Z"
    assert answer["chance_off_by_more_than"] == {"1": 0.25, "2": 5e-324, "5": 0.0}
    assert answer["reading"]["types"] == {"a=b": "text"}


chances = st.floats(0, 1)
texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.integers(0, 10**30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    st.fractions(min_value=0),
    st.fractions(min_value=0, max_value=1).filter(lambda delta: delta < 1),
    st.tuples(chances, chances, chances, chances),
    st.tuples(texts, st.none() | texts),
    st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.replace(microsecond=0)),
)
def test_round_trip(counts, epsilon, delta, odds, words, moment):
    before = receipt(
        released=counts[1],
        maximum=counts[0],
        epsilon=exact_text(Fraction(epsilon)),
        delta=exact_text(Fraction(delta)),
        error_probability=odds[0],
        chance_off_by_more_than=dict(zip((1, 2, 5), odds[1:], strict=True)),
        where=words[0],
        table=words[1],
        released_at=moment,
        receipt_id=uuid.uuid4(),
    )
    after = Receipt.from_json(before.to_json())
    assert after == before
    assert after.to_json() == before.to_json()
    SCHEMA.validate(json.loads(before.to_json()))


def test_prints_as_the_command_does():
    assert explain(receipt().guarantee) in str(receipt())
    assert str(receipt(released=3)).startswith("Released count: 3\n\nQuestion    ")
    assert repr(receipt()).startswith("Receipt(schema_version=1, ")


def test_is_a_value():
    assert receipt() == receipt()
    assert len({receipt(), receipt()}) == 1
    assert pickle.loads(pickle.dumps(receipt())) == receipt()
    with pytest.raises(ValidationError, match="frozen"):
        receipt().released = 4


@pytest.mark.parametrize(
    "changes",
    [
        {"released": 11},
        {"released": -1},
        {"released": True},
        {"released": 3.0},
        {"released": "3"},
        {"minimum": 1},
        {"epsilon": "0.50"},
        {"epsilon": "-1"},
        {"epsilon": "inf"},
        {"epsilon": 0.5},
        {"delta": "1"},
        {"adjacency": "neither"},
        {"mechanism": "laplace"},
        {"mechanism": "audited"},
        {"audit": AUDIT, "delta": "0.1"},
        {"mechanism": "audited", "audit": AUDIT},
        {"mechanism": "audited", "audit": AUDIT, "delta": "9.9e-8"},
        {"mechanism": "audited", "audit": {**AUDIT, "name": ""}, "delta": "0.1"},
        {"mechanism": "audited", "audit": {**AUDIT, "matrix_sha256": "0F" * 32}, "delta": "0.1"},
        {"mechanism": "audited", "audit": {**AUDIT, "verdict": "PRIVATE"}, "delta": "0.1"},
        {"source": "data/people.csv"},
        {"error_probability": float("nan")},
        {"error_probability": 1.5},
        {"chance_off_by_more_than": {1: 0.5, 2: 0.25}},
        {"chance_off_by_more_than": {1: 0.5, 2: 0.25, 5: 0.1, 6: 0.0}},
        {"released_at": datetime(2026, 1, 2, 3, 4, 5)},
        {"released_at": datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)},
        {"released_at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=1)))},
        {"receipt_id": uuid.UUID(int=0)},
        {"true_count": 3},
        {"schema_version": 0},
        {"ledger": {**LEDGER, "entry": 0}},
        {"ledger": {**LEDGER, "entry_sha256": "0f"}},
        {"ledger": {**LEDGER, "left_epsilon": "0.50"}},
        {"ledger": {**LEDGER, "left_delta": None}},
        {"ledger": {**LEDGER, "location": "people.ledger"}},
    ],
    ids=str,
)
def test_refused(changes):
    with pytest.raises(ValidationError):
        receipt(**changes)


@pytest.mark.parametrize("sha256", ["0f" * 32, None])
def test_an_audited_mechanism(sha256):
    # 1e-7 as a decimal is above the double next to it, and 1.5e-7 below: both are at most the double above delta.
    for text in ("1e-7", "1.5e-7"):
        findings = {**AUDIT, "matrix_sha256": sha256, "least_delta": math.nextafter(float(text), 1)}
        before = receipt(mechanism="audited", audit=findings, delta=exact_text(Fraction(text)))
        assert Receipt.from_json(before.to_json()) == before
        assert json.loads(before.to_json())["audit"] == findings
        SCHEMA.validate(json.loads(before.to_json()))
        with pytest.raises(ValidationError, match="at most delta"):
            receipt(mechanism="audited", audit=findings, delta=exact_text(Fraction(text) * (1 - Fraction(1, 2**50))))


@pytest.mark.parametrize("left", [("0.5", "0"), ("1/3", "1e-400"), (None, None)])
def test_what_a_ledger_says(left):
    facts = {**LEDGER, "left_epsilon": left[0], "left_delta": left[1]}
    before = receipt(ledger=facts)
    assert Receipt.from_json(before.to_json()) == before
    assert json.loads(before.to_json())["ledger"] == facts
    SCHEMA.validate(json.loads(before.to_json()))


def test_every_field_is_required():
    for name in FIELDS:
        with pytest.raises(ValidationError):
            Receipt.model_validate({key: value for key, value in FIELDS.items() if key != name})


def test_a_newer_schema_is_a_clear_error():
    newer = json.dumps({"schema_version": 6, "counts": [1, 2]})
    with pytest.raises(BadData, match=r"^the receipt has schema version 6, but this hushcount reads versions up to 5"):
        Receipt.from_json(newer)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a receipt: Invalid JSON"),
        ("[]", "not a receipt: Input should be an object"),
        ("{}", "not a receipt: schema_version: Field required"),
        (
            receipt().to_json().replace('"released": 3', '"released": 30'),
            "not a receipt: released must be from minimum to",
        ),
        (receipt().to_json().replace("0.25", "NaN"), "not a receipt: chance_off_by_more_than: 1: "),
    ],
)
def test_not_a_receipt_is_one_line(text, message):
    with pytest.raises(BadData) as caught:
        Receipt.from_json(text)
    assert str(caught.value).startswith(message)
    assert str(caught.value).isprintable()
    assert caught.value.__suppress_context__


def test_every_reading_option_is_repeated():
    options = {field.name for field in dataclasses.fields(ReadOptions)}
    assert {*Reading.model_fields, "table"} == options


def test_schema_describes_every_field_in_a_sentence():
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    fields = {name: field for part in (schema, *schema["$defs"].values()) for name, field in part["properties"].items()}
    assert {"released", "delimiter", "least_delta"} <= set(fields)
    for name, field in fields.items():
        assert field["description"].endswith("."), name
    assert schema["required"] == list(FIELDS)


def test_nothing_else_about_the_data_is_held():
    fields = {*Receipt.model_fields, *LedgerFacts.model_fields}
    assert not [name for name in fields if "hash" in name or "true" in name or "rows" in name]
