"""`interpret`: one receipt in, everything it says out, and nothing else needed."""

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from receipts import receipt_of

import hushcount
from hushcount import Receipt, canonical, from_matrix, interpret, nearest, release_count
from hushcount.errors import InvalidParameter
from hushcount.mechanisms import truncated_geometric
from hushcount.reading import NoInverse
from hushcount.reading.confidence import confidence_set, likeliest
from hushcount.reading.unbiased import estimator


def test_fields():
    receipt = receipt_of("nearest", 30, "0.7", "1e-6", released=4)
    found = interpret(receipt, level="0.9", prior="uniform")
    law = nearest(30, "0.7", "1e-6")
    assert found.receipt is receipt
    assert found.mechanism == law
    assert found.level == Fraction(9, 10)
    assert found.confidence_set == confidence_set(law, 4, Fraction(9, 10))
    assert found.most_likely == likeliest(law, 4)
    assert found.unbiased.value == estimator(law).values[4]
    assert found.unbiased.standard_error == estimator(law).standard_error
    assert found.released_error == law.expected_squared_error() ** 0.5
    assert [found.likelihood(i) for i in range(31)] == [law.pmf(i, 4) for i in range(31)]
    assert found.posterior.counts == tuple(range(31))
    assert not found.is_capped
    with pytest.raises(InvalidParameter, match="true"):
        found.likelihood(31)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("mechanism", ["nearest", "canonical"])
@pytest.mark.parametrize(("epsilon", "delta"), [("0", "0"), ("1e-400", "0"), ("1", "0.1"), ("1000", "0")])
def test_the_smallest_ranges(n, mechanism, epsilon, delta):
    for released in range(n + 1):
        found = interpret(receipt_of(mechanism, n, epsilon, delta, released=released), prior="uniform")
        covered = {i for first, last in found.confidence_set for i in range(first, last + 1)}
        assert covered == {released} if epsilon == "1000" else released in covered
        assert abs(found.posterior.probabilities.sum() - 1) < 1e-14
        assert str(found)
        assert json.dumps(found.to_dict(), allow_nan=False)


def test_a_release_of_today(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("age\n" + "\n".join(map(str, range(50))) + "\n")
    found = interpret(release_count(table, "age >= 20", "0.8"))
    assert found.receipt.maximum == 50
    assert found.confidence_set


def test_it_depends_on_the_receipt_alone():
    """The same through JSON, and without a single library that reads data."""
    receipt = receipt_of("canonical", 100, "0.5", released=2)
    before = interpret(receipt, prior="uniform").to_dict()
    assert interpret(Receipt.from_json(receipt.to_json()), prior="uniform").to_dict() == before
    program = (
        "import sys; from hushcount import Receipt, interpret; "
        "interpret(Receipt.from_json(sys.stdin.read())); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=receipt.to_json(), capture_output=True, text=True, check=True
    )
    assert not {"duckdb", "pyarrow", "sqlite3", "sqlglot", "scipy"} & set(done.stdout.split())


def test_epsilon_is_text_exact():
    """0.1 as text and as a float are two receipts, and each is read as what it says."""
    texts = [interpret(receipt_of("nearest", 9, value, released=3)) for value in ("0.1", 0.1)]
    assert [found.mechanism.epsilon for found in texts] == [Fraction(1, 10), Fraction(0.1)]


def test_capped():
    receipt = receipt_of("nearest", 30, "0.7", released=30, adjacency="add-remove")
    found = interpret(receipt)
    assert found.is_capped
    text = str(found)
    assert " to 30 or more\n" in text
    assert (
        "True counts above the declared maximum were treated as 30: what is said here of 30 is said of 30 and all"
        in (" ".join(text.split()))
    )
    assert found.to_dict()["maximum_means_or_more"]
    assert "or more" not in str(interpret(receipt_of("nearest", 30, "0.7", released=30)))
    low = str(interpret(receipt_of("nearest", 30, 2, released=3, adjacency="add-remove")))
    assert "or more" not in low
    assert "were treated as 30" in low


def test_text():
    text = str(interpret(receipt_of("nearest", 4820, "0.5", released=2019)))
    assert text.splitlines() == [
        "Released count: 2019",
        "",
        "Question    rows of people.csv where age >= 65",
        "Range       0 to 4820",
        "Privacy     epsilon 0.5, delta 0, replace-one",
        "Mechanism   nearest",
        "",
        "What it says of the true count",
        "  95% confidence set    2013 to 2025",
        "  most likely           2019",
        "  unbiased estimate     2019, standard error at most 2.81",
        "  the release itself    root mean squared error at most 2.8",
        "",
        "- Whatever the true count is, its releases lead to a confidence set that",
        "  contains it with a chance of at least 95%. That is about the noise of the",
        "  release, and about nothing else.",
        "- All of this follows from the receipt alone: it took no data and no privacy",
        "  budget.",
    ]


def test_text_without_an_estimate_and_with_a_prior():
    text = str(interpret(receipt_of("nearest", 7, "0.1", released=1), level="0.5", prior={0: 3, 7: 1}))
    assert "\n  unbiased estimate     none\n" in text
    assert f"- No unbiased estimate: {NoInverse.SINGULAR.value}" in " ".join(text.replace("\n  ", " ").split("\n"))
    assert "\n  with the prior        mean " in text
    assert "\n  50% credible set      0\n" in text


def test_text_of_a_wrapped_and_of_a_broken_set():
    assert "\n  95% confidence set    0 to 7 or 96 to 100\n" in str(
        interpret(receipt_of("canonical", 100, "0.5", released=1))
    )
    n = 40
    P = np.where(np.add.outer(np.arange(n + 1), np.arange(n + 1)) % 2, 1.0, 3.0)
    mechanism = from_matrix(P / P.sum(axis=1, keepdims=True))
    text = str(interpret(receipt_of(mechanism, n, 2, released=0), level="0.6", mechanism=mechanism))
    assert "confidence set    0 or 2 or 4 or 6 or 8 or 10 or 12 or 14 more ranges up to 40\n" in text
    assert max(map(len, text.splitlines())) <= 100


def test_to_dict():
    found = interpret(receipt_of("canonical", 5, "0.5", released=2), level="0.75", prior=[1, 1, 1, 0, 0, 1])
    facts = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert facts["level"] == "0.75"
    assert facts["confidence_set"] == [list(span) for span in found.confidence_set]
    assert facts["unbiased"] == {"value": found.unbiased.value, "standard_error": found.unbiased.standard_error}
    assert facts["no_unbiased"] is None
    assert facts["posterior"]["counts"] == [0, 1, 2, 5]
    assert sum(facts["posterior"]["probabilities"]) == pytest.approx(1)
    none = interpret(receipt_of("canonical", 5, 0, released=2)).to_dict()
    assert (none["unbiased"], none["no_unbiased"], none["posterior"]) == (None, NoInverse.SINGULAR.value, None)
    assert none["confidence_set"] == [[0, 5]] == none["most_likely"]


def test_audited_mechanisms():
    closed = truncated_geometric(20, "0.5")
    found = interpret(receipt_of(closed, 20, "0.5", released=3), mechanism=closed)
    assert found.confidence_set == confidence_set(closed, 3, Fraction(95, 100))
    matrix = from_matrix(canonical(20, "0.5").matrix())
    found = interpret(receipt_of(matrix, 20, "0.6", released=3), mechanism=matrix)
    assert found.confidence_set == confidence_set(canonical(20, "0.5"), 3, Fraction(95, 100))
    assert "Mechanism   explicit (audited)\n" in str(found)


@pytest.mark.parametrize("n", [10**12, 10**30])
@pytest.mark.parametrize("mechanism", ["nearest", "canonical"])
def test_any_size(n, mechanism):
    found = interpret(receipt_of(mechanism, n, 1, "1e-9", released=n - 2), prior="uniform")
    assert found.unbiased is NoInverse.TOO_LARGE
    assert found.confidence_set[-1][1] == n
    assert max(found.posterior.counts) == n


@pytest.mark.parametrize("level", [0, 1, "95", None])
def test_bad_level(level):
    with pytest.raises(InvalidParameter, match="level"):
        interpret(receipt_of("nearest", 5, 1, released=2), level=level)


def test_exported():
    for name in ("Interpretation", "NoInverse", "Posterior", "TableInterpretation", "interpret", "interpret_table"):
        assert name in hushcount.reading.__all__
