"""What people read: the text of audits (`cli/test_audit.py` sees it with the name of a file on top)."""

from fractions import Fraction

import numpy as np
import pytest

from hushcount import audit, audit_samples, nearest
from hushcount.mechanisms import redrawn_geometric
from hushcount.privacy import AuditVerdict

STEPS = [[0.5, 0.5], [0.3, 0.7], [0.1, 0.9]]


def words(found):
    return " ".join(str(found).split())


def test_private():
    assert str(audit(STEPS, epsilon="1.1")) == (
        "Claim       epsilon 1.1, delta 0, between true counts 1 apart\n"
        "Verdict     private\n"
        "\n"
        "                        needs  count  chance  other  chance  outcomes\n"
        "delta at epsilon 1.1        0      -       -      -       -  none exceeds\n"
        "epsilon at delta 0    1.09862      1     0.3      2     0.1  0\n"
        "\n"
        "The claim holds: no pair of true counts and no set of outcomes exceeds it."
    )


def test_not_private():
    text = str(audit([[1, 0], [0.1, 0.9]], epsilon=1, delta="1e-5"))
    assert text.splitlines()[:7] == [
        "Claim       epsilon 1, delta 1e-5, between true counts 1 apart",
        "Verdict     not private: delta exceeded by 0.9",
        "Private at  epsilon 1, delta 0.9",
        "",
        "                          needs  count  chance  other  chance  outcomes",
        "delta at epsilon 1          0.9      1     0.9      0       0  1",
        "epsilon at delta 1e-5  infinite      1     0.9      0       0  1",
    ]
    assert (
        "No epsilon is enough at delta 1e-5: true count 1 has outcomes that 0 never has. From delta 0.9 on, some "
        "epsilon is."
    ) in " ".join(text.split())
    assert "rounding" not in text
    leak = str(audit(redrawn_geometric(10, 1), epsilon=1))
    assert "\nPrivate at  epsilon 1, delta 0.119254; or epsilon 1.20907, delta 0\n" in leak


def test_by_rounding_only():
    lines = str(audit(nearest(10, "0.7").matrix(), epsilon="0.7")).splitlines()
    assert lines[1] == "Verdict     not private, by rounding only (gap 4.7e-17): delta 5e-17 covers it"
    assert lines[2] == "Private at  epsilon 0.7, delta 5e-17; or epsilon 0.700001, delta 0"
    assert "rounding explains" in " ".join(lines)


def test_by_rounding_only_where_no_delta_covers_it():
    found = audit([[1.0, 0.0], [0.0, 1.0]], epsilon="0.5", delta=f"0.{'9' * 17}")
    assert (found.by_rounding, found.covering_delta, found.sufficient) == (True, None, ())
    lines = str(found).splitlines()
    assert "Verdict     not private, by rounding only (gap 1e-17): no delta covers it" in lines
    assert not any(line.startswith("Private at") for line in lines)


def test_a_delta_that_covers_it_is_found_however_near_to_1():
    row, other = [1 - 2**-53, 2**-53], [2**-53, 1 - 2**-53]
    found = audit([row, other], epsilon="0.5", delta="0.5")
    assert found.delta + found.gap.exact_upper <= found.covering_delta < 1
    assert audit([row, other], epsilon="0.5", delta=found.covering_delta).verdict is AuditVerdict.PRIVATE


@pytest.mark.parametrize("claim", [{"epsilon": 0.1}, {"epsilon": "0.1", "delta": 0.3}, {"epsilon": "1/3"}])
def test_long_numbers_are_claimed_as_about(claim):
    """But what is said to be enough is in full."""
    found = audit(nearest(6, 1).matrix(), **claim)
    text = str(found)
    assert max(map(len, text.splitlines())) <= 78
    assert ("about 0.1" in text) is isinstance(claim["epsilon"], float)
    assert ("about 0.3" in text) is ("delta" in claim)


@pytest.mark.slow
def test_undecided():
    mechanism = nearest(10**6, "0.5", "0.001")
    low = audit(mechanism, epsilon=1).least_delta.interval.exact_lower
    found = audit(mechanism, epsilon=1, delta=low)
    assert found.verdict is AuditVerdict.UNDECIDED
    assert "Verdict undecided: delta exceeded by at most " in words(found)
    assert "epsilon at delta" in words(found)
    assert "Private at epsilon 1, delta " in words(found)


def test_each_point_of_the_profile_once():
    found = audit(STEPS, epsilon="1.1")
    lines = found.to_text(found.profile([0, "1.1", 0, "1/2"])).splitlines()
    assert [line.split("  ")[0] for line in lines[4:8]] == [
        "delta at epsilon 1.1", "epsilon at delta 0", "delta at epsilon 0", "delta at epsilon 0.5",
    ]  # fmt: skip
    assert lines[8] == ""


def test_a_scattered_event_is_cut_short():
    text = str(audit([[0.1, 0] * 10, [0, 0.1] * 10], epsilon=1))
    assert max(map(len, text.splitlines())) <= 78
    assert "  0, 2, 4, 6, 8, ...\n" in text


@pytest.mark.parametrize(
    ("epsilon", "delta", "promised"),
    [
        ("0.7", 0, "keeps epsilon 0.7, delta 0 between true counts 1 apart promises epsilon 2.1, delta 0 here."),
        (0, "0.1", "keeps epsilon 0, delta 0.1 between true counts 1 apart promises epsilon 0, delta 0.3 here."),
        (0, "0.5", "keeps epsilon 0, delta 0.5 between true counts 1 apart promises nothing here."),
        (None, 0, "A mechanism that is epsilon-DP between true counts 1 apart promises 3 epsilon here."),
    ],
)
def test_what_is_promised_farther_apart(epsilon, delta, promised):
    matrix = nearest(5, 1).matrix()
    assert promised in words(audit(matrix, epsilon=epsilon, delta=delta, distance=3))
    assert "promises" not in words(audit(matrix, epsilon=epsilon, delta=delta))


def test_the_promise_farther_apart_is_kept():
    """delta (1 + e^epsilon + e^2 epsilon), unless the trade-off curve reaches 1 first."""
    mechanism = nearest(6, "0.5", "0.01")
    (told,) = [line for line in words(audit(mechanism, distance=3)).split(" promises ") if line.endswith("here.")]
    assert told == "epsilon 1.5, delta 0.0536701 here."
    assert audit(mechanism, epsilon="1.5", delta="0.0536701", distance=3).verdict is AuditVerdict.PRIVATE


def test_no_pairs():
    assert "\nPairs       none: no two true counts are that far apart" in str(audit([[1.0]], epsilon=0))
    assert "Pairs" not in str(audit(STEPS))


@pytest.mark.slow
def test_samples():
    log = np.column_stack([np.repeat([0, 1], 5000), np.repeat([0, 1, 0, 1], [4000, 1000, 2000, 3000])])
    text = str(audit_samples(log, epsilon="0.1", delta="1e-6"))
    head, table, said = text.split("\n\n")
    assert head.startswith(
        "Claim       epsilon 0.1, delta 1e-6, between true counts 1 apart\nVerdict     rejected\nConfidence  99.9%\nEst"
    )
    label, row = table.splitlines()
    assert label.split() == ["at", "least", "count", "chance", "other", "chance", "outcomes"]
    assert row.startswith("epsilon at delta 1e-6  ")
    assert said.startswith("The claim does not hold, with the stated confidence")
    assert "nothing claimed" in str(audit_samples(log))


def test_figures_are_claims():
    """What the column says is needed is enough, and not a digit too much."""
    found = audit(redrawn_geometric(5, "0.5").matrix())
    row = next(line for line in str(found).splitlines() if line.startswith("epsilon at"))
    needed = Fraction(row.split()[4])
    matrix = redrawn_geometric(5, "0.5").matrix()
    assert audit(matrix, epsilon=needed).verdict is AuditVerdict.PRIVATE
    assert audit(matrix, epsilon=needed - Fraction(1, 10**6)).verdict is AuditVerdict.NOT_PRIVATE
