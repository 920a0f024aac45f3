"""Counts and tables that are released at mu, at rho or at several pairs, and what their receipts say."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from jsonschema import Draft202012Validator

from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.ledger import Ledger, create_budget
from hushcount.mechanisms import epsilon_for, from_matrix, mu_for, nearest, truncated_geometric
from hushcount.mechanisms.peers.rounded_gaussian import rounded_gaussian
from hushcount.numbers.text import plain_at_most
from hushcount.privacy import audit
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs
from hushcount.reading import interpret, interpret_table
from hushcount.release import Session, release_count, release_table
from hushcount.release.aim import asked as asked_for
from hushcount.release.receipt import Receipt, schema_text
from hushcount.release.subject import Subject
from hushcount.release.table.cells import DeclaredCells
from hushcount.release.table.other_price import other_price
from hushcount.release.table.preview import preview
from hushcount.release.table.question import TableQuestion
from hushcount.release.table.receipt import TableReceipt, schema_text as table_schema_text

PAIRS = SeveralPairs.of([("0.1", "0.1"), (1, 0)])
PROMISES = [GaussianDP.of("0.8"), GaussianDP.of_rho("0.1"), PAIRS]
each_promise = pytest.mark.parametrize("promise", PROMISES, ids=str)


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,region\n70,a\n30,b\n66,a\n", encoding="ascii")
    return path


# --- a count ----------------------------------------------------------------------------------------------------------


@each_promise
def test_a_receipt_is_read_back(people, promise):
    receipt = release_count(people, "age >= 65", promise)
    assert receipt.promise == promise
    assert Receipt.from_json(receipt.to_json()) == receipt
    written = json.loads(receipt.to_json())
    assert (written["schema_version"], written["epsilon"], written["delta"]) == (2, None, None)
    Draft202012Validator(json.loads(schema_text())).validate(written)
    assert receipt.error_probability == nearest(3, promise).error_probability


def test_mu_and_rho_are_numbers_too(people):
    assert release_count(people, "age >= 65", mu="0.8").promise == GaussianDP.of("0.8")
    assert release_count(people, "age >= 65", rho="0.1").promise == GaussianDP.of_rho("0.1")


def test_a_mechanism_of_ones_own_is_audited_at_mu(people):
    """The receipt says what was found, and is refused where that is more than what it promises."""
    own = from_matrix(nearest(3, "0.8").matrix())
    receipt = release_count(people, "age >= 65", mu="1", mechanism=own)
    assert Receipt.from_json(receipt.to_json()) == receipt
    written = json.loads(receipt.to_json())
    Draft202012Validator(json.loads(schema_text())).validate(written)
    found = written["audit"]
    assert set(found) == {"name", "matrix_sha256", "least_mu"}
    assert found["least_mu"] == audit(own, mu=1).least_mu.interval.upper
    assert f"Audit       it takes mu {found['least_mu']:.5}"[:24] in str(receipt)
    assert interpret(receipt, mechanism=own).mechanism == own
    for changed in ({"least_mu": 1.001}, {"least_mu": -1.0}, {"least_delta": 0.0}, {"least_mu": None}):
        with pytest.raises(BadData, match="not a receipt"):
            Receipt.from_json(json.dumps(written | {"audit": found | changed}))
    of_epsilon = json.loads(release_count(people, "age >= 65", "0.9", mechanism=own).to_json())
    assert set(of_epsilon["audit"]) == {"name", "matrix_sha256", "least_delta"}
    with pytest.raises(BadData, match="not a receipt"):
        Receipt.from_json(json.dumps(of_epsilon | {"audit": found}))


@pytest.mark.parametrize("mu", ["0.3", "1/3", "0.7"])
def test_a_finding_that_is_all_of_mu_is_kept(people, mu):
    own = nearest(3, mu=mu)
    receipt = release_count(people, "age >= 65", mu=mu, mechanism=own)
    assert receipt.audit.least_mu >= float(Fraction(mu)) * (1 - 1e-15)
    assert Receipt.from_json(receipt.to_json()) == receipt


def test_a_receipt_of_epsilon_is_as_it_was(people):
    written = json.loads(release_count(people, "age >= 65", 1).to_json())
    assert written["schema_version"] == 1
    assert not {"mu_squared", "pairs"} & set(written)
    Draft202012Validator(json.loads(schema_text())).validate(written)


def test_the_text_says_what_mu_means(people):
    text = str(release_count(people, "age >= 65", mu="0.8"))
    assert "Privacy     mu 0.8, replace-one\nImplies     epsilon 3.79742 at delta 1e-6\n" in text
    flowing = " ".join(text.split())
    assert "tells them apart no better than one draw of a normal distribution" in flowing
    assert "5% of the time recognizes that other one at most 20% of the time." in flowing  # Phi(-1.6449 + 0.8) = .1992
    assert "spends its own mu^2, and all of them together promise only the sum." in flowing
    assert GaussianDP.of("0.8").least_delta(Fraction("3.79742")) <= Fraction(1, 10**6)


def test_the_text_of_several_pairs_says_each(people):
    flowing = " ".join(str(release_count(people, "age >= 65", PAIRS)).split())
    assert "Privacy (epsilon 0.1, delta 0.1) and (epsilon 1, delta 0), replace-one" in flowing
    assert "factor of at most 1.11 (e^epsilon)" in flowing
    assert "factor of at most 2.72 (e^epsilon), without exception" in flowing


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({}, "epsilon"),
        ({"mu": 0}, "mu"),
        ({"mu": -1}, "mu"),
        ({"mu": "x"}, "mu"),
        ({"rho": 0}, "rho"),
        ({"mu": 1, "rho": 1}, "rho"),
        ({"epsilon": 1, "mu": 1}, "mu"),
        ({"mu": 1, "delta": "1e-6"}, "delta"),
        ({"epsilon": GaussianDP.of(1), "delta": "1e-6"}, "delta"),
        ({"mu": 1, "mechanism": "canonical"}, "mechanism"),
        ({"mu": 1, "mechanism": truncated_geometric(3, 1)}, "mechanism"),
        ({"mu": f"1/{3**1400}"}, "mu_squared"),
    ],
    ids=str,
)
def test_bad_promises(people, given, argument):
    with pytest.raises(InvalidParameter) as caught:
        release_count(people, "age >= 65", **given)
    assert caught.value.argument == argument


@pytest.mark.parametrize(
    "changed",
    [
        {"mu_squared": None},
        {"mu_squared": "0"},
        {"mu_squared": "-1"},
        {"mu_squared": "0.640"},
        {"epsilon": "1", "delta": "0"},
        {"epsilon": "1"},
        {"delta": "0"},
        {"pairs": [{"epsilon": "1", "delta": "0"}]},
        {"schema_version": 1},
        {"mechanism": "canonical"},
        {"mu_squared": None, "pairs": []},
        {"mu_squared": None, "pairs": [{"epsilon": "1"}]},
        {"mu_squared": None, "pairs": [{"mu_squared": "1"}]},
    ],
    ids=str,
)
def test_bad_receipts(people, changed):
    written = json.loads(release_count(people, "age >= 65", mu="0.8").to_json())
    with pytest.raises(BadData, match="not a receipt"):
        Receipt.from_json(json.dumps(written | changed))


def test_a_changed_mu_is_found(people):
    written = json.loads(release_count(people, "age >= 65", mu="0.8").to_json())
    changed = Receipt.from_json(json.dumps(written | {"mu_squared": "0.81"}))
    with pytest.raises(BadData, match=r"the chances it states are not those of nearest with maximum 3, mu 0\.9"):
        interpret(changed)


# --- what it says of the true count -----------------------------------------------------------------------------------


@each_promise
def test_a_count_is_read(people, promise):
    receipt = release_count(people, "age >= 65", promise)
    found = interpret(receipt, prior="uniform")
    assert found.mechanism == nearest(3, promise)
    told = found.to_dict()
    assert (told["epsilon"], told["delta"]) == (None, None)
    assert told["posterior"]["probabilities"] == pytest.approx(
        [
            p / sum(nearest(3, promise).matrix()[:, receipt.released])
            for p in nearest(3, promise).matrix()[:, receipt.released]
        ]
    )
    assert promise.in_words() in str(found)


def test_a_table_of_different_promises_is_refused(people):
    one, two, other = (release_count(people, "age >= 65", **at) for at in ({"mu": 1}, {"mu": 1}, {"epsilon": 1}))
    assert interpret_table([one, two]).releases == 2
    with pytest.raises(BadUse, match="must be alike, but epsilon is None in the first receipt and 1 in receipt 2"):
        interpret_table([one, other])


# --- a table ----------------------------------------------------------------------------------------------------------


def test_k_cells_cost_k_times_the_square(people):
    receipt = release_table(people, "region", ["a", "b"], mu="0.3")
    assert (receipt.changed_cells, receipt.price) == (2, GaussianDP(Fraction("0.18")))
    assert TableReceipt.from_json(receipt.to_json()) == receipt
    written = json.loads(receipt.to_json())
    assert (written["mu_squared"], written["table_mu_squared"], written["table_epsilon"]) == ("0.09", "0.18", None)
    Draft202012Validator(json.loads(table_schema_text())).validate(written)
    assert "Privacy     mu 0.424265 (rho 0.09), replace-one, for the table\nImplies" in str(receipt)
    assert interpret_table(receipt, level="0.9").to_dict()["table_mu_squared"] == "0.18"
    with pytest.raises(BadData, match="table_mu_squared must be mu_squared times changed_cells"):
        TableReceipt.from_json(json.dumps(written | {"table_mu_squared": "0.17"}))


def test_a_table_of_several_pairs(people):
    receipt = release_table(people, "region", ["a", "b"], PAIRS)
    assert receipt.price == SeveralPairs.of([("0.2", "0.19"), (2, 0)])
    assert TableReceipt.from_json(receipt.to_json()) == receipt
    written = json.loads(receipt.to_json())
    written["table_pairs"][0]["delta"] = "0.1"
    with pytest.raises(BadData, match="the promise for the table must be"):
        TableReceipt.from_json(json.dumps(written))


def of_table(source, promise, cells, **others):
    """Return a table in which a unit is in up to so many cells, each with up to 1,000."""
    subject = Subject.of(source, None, "age")
    declared = DeclaredCells.of(subject, "region", [f"k{cell}" for cell in range(cells)], max_cells=cells)
    return TableQuestion.of(subject, declared, "TRUE", promise, adjacency="add-remove", max_count=1000, **others)


@pytest.mark.parametrize(
    "promise", [GaussianDP.of("0.3"), EpsilonDelta.of("0.2"), EpsilonDelta.of("0.2", "1e-6")], ids=str
)
def test_the_other_price_is_for_the_same_accuracy(people, promise):
    facts = of_table(people, promise, 40).settled(0).guarantee
    each, table = other_price(facts)
    assert table == each.of_cells(40)
    wrong = nearest(1000, each).error_probability
    assert wrong <= facts.cell.chances[0] < wrong + 0.01
    assert type(each) is not type(promise)


def test_explain_compares_the_prices(people):
    text = preview(of_table(people, GaussianDP.of("0.3"), 40))
    assert "Charge      mu 1.89737 (rho 1.8)\n" in text
    assert "Compare     epsilon 0.24, delta 0 each is right as often, and costs epsilon 9.6, delta 0\n" in text
    text = preview(of_table(people, EpsilonDelta.of("0.2"), 40))
    assert "Charge      epsilon 8, delta 0\n" in text
    assert "Compare     mu 0.251 each is right as often, and costs mu 1.58747" in text


@pytest.mark.parametrize("mechanism", ["nearest", "within:5"])
@pytest.mark.parametrize("in_mu", [False, True])
def test_the_other_price_of_an_accuracy_is_that_of_the_same_accuracy(people, in_mu, mechanism):
    aim = asked_for(within=5, chance="0.95", currency="mu" if in_mu else "epsilon")
    text = preview(of_table(people, aim, 40, mechanism=mechanism))
    each = EpsilonDelta.of(epsilon_for(1000, 5, "0.95", mechanism=mechanism))
    if not in_mu:
        each = GaussianDP.of(mu_for(1000, 5, "0.95", mechanism=mechanism))
    costs = f"{each.in_words()} each is as near, as often, and costs {each.of_cells(40).in_words(plain_at_most)}"
    assert costs in " ".join(text.split())


def test_of_several_ranges_the_hardest_decides_in_the_other_currency_too(people):
    aim = asked_for(within=2, chance="0.9")
    declared = DeclaredCells.of(Subject.of(people), "region", ["a", "b"], totals=[7, 400], undeclared="left-out")
    facts = TableQuestion.of(Subject.of(people), declared, "TRUE", aim, adjacency="add-remove").settled(0).guarantee
    each, table = other_price(facts, aim)
    assert each == GaussianDP.of(max(mu_for(7, 2, "0.9"), mu_for(400, 2, "0.9")))
    assert table == each.of_cells(1)


def test_there_may_be_no_other_price_of_an_accuracy(people):
    """A delta makes an exact count certain at a range of 0 only, and no mu does."""
    aim = asked_for(within=5, chance=1, delta="1e-3")
    facts = of_table(people, EpsilonDelta.of("0.2"), 2).settled(0).guarantee
    assert other_price(facts, aim) is None


def test_nothing_is_compared_where_nothing_can_be(people):
    assert other_price(of_table(people, PAIRS, 2).settled(0).guarantee) is None
    subject = Subject.of(people)
    declared = DeclaredCells.of(subject, "region", ["a"])
    asked = TableQuestion.of(subject, declared, "TRUE", GaussianDP.of(1), adjacency="add-remove", max_count=0)
    assert other_price(asked.settled(0).guarantee) is None


# --- rounded Gaussian noise -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{"mu": "0.3"}, {"rho": "0.045"}])
def test_rounded_gaussian_by_name(people, given):
    receipt = release_count(people, "age >= 65", mechanism="rounded-gaussian", **given)
    made = rounded_gaussian(3, mu="0.3")
    assert (receipt.mechanism, receipt.schema_version) == ("rounded-gaussian", 2)
    assert receipt.error_probability == made.error_probability
    assert Receipt.from_json(receipt.to_json()) == receipt
    Draft202012Validator(json.loads(schema_text())).validate(json.loads(receipt.to_json()))
    assert interpret(receipt).receipt == receipt
    assert "\nMechanism   rounded-gaussian\n" in str(receipt)


def test_rounded_gaussian_in_a_table(people):
    receipt = release_table(people, "region", ["a", "b"], mu="0.3", mechanism="rounded-gaussian")
    assert TableReceipt.from_json(receipt.to_json()) == receipt
    Draft202012Validator(json.loads(table_schema_text())).validate(json.loads(receipt.to_json()))
    law = rounded_gaussian(3, mu="0.3")
    assert receipt.error_probability == law.error_probability
    assert interpret_table(receipt).mechanism == law


def test_rounded_gaussian_is_charged_its_mu(people, place):
    create_budget(place, "people", mu=1)
    with Session(people, place, "people") as session:
        first = session.count("age >= 65", mu="0.6", mechanism="rounded-gaussian")
        assert session.count("age >= 65", mu="0.6", mechanism="rounded-gaussian") == first
        session.count("age >= 65", mu="0.8")  # nearest is another question
        assert session.remaining.mu_squared == 0


@pytest.mark.parametrize("promise", [EpsilonDelta.of(1), EpsilonDelta.of(1, "1e-3"), PAIRS], ids=str)
def test_rounded_gaussian_is_for_mu(people, promise):
    with pytest.raises(InvalidParameter, match="mechanism must be another one where no mu or rho is promised"):
        release_count(people, "age >= 65", promise, mechanism="rounded-gaussian")
    told = json.loads(release_count(people, "age >= 65", promise).to_json())
    with pytest.raises(BadData, match=r"mechanism must not be rounded-gaussian"):
        Receipt.from_json(json.dumps(told | {"mechanism": "rounded-gaussian", "schema_version": 2}))


def test_a_receipt_of_rounded_gaussian_that_was_changed(people):
    told = json.loads(release_count(people, "age >= 65", mu="0.3", mechanism="rounded-gaussian").to_json())
    with pytest.raises(BadData, match="was changed since the release"):
        interpret(Receipt.from_json(json.dumps(told | {"mechanism": "nearest"})))


def test_what_the_ledger_page_says_of_rounded_gaussian():
    best, rounded = nearest(100, mu="0.3"), rounded_gaussian(100, mu="0.3")
    told = [
        (
            round(one.error_probability, 3),
            round(one.expected_absolute_error(), 2),
            round(abs(one.bias(0)), 2),
            *(round(one.probability_beyond(t), 3) for t in (1, 2, 5)),
        )
        for one in (best, rounded)
    ]
    assert told == [(0.879, 3.03, 3.03, 0.716, 0.539, 0.142), (0.881, 2.65, 1.32, 0.653, 0.453, 0.099)]
    for made in (best, rounded):
        assert abs(made.bias(0)) == max(abs(made.bias(true)) for true in range(101))
    many = rounded_gaussian(1000, mu="0.0236")  # README, "Many releases"
    told = (1 - many.error_probability, many.expected_absolute_error(), many.probability_beyond(20))
    assert told == pytest.approx((0.0094, 33.8, 0.629), rel=3e-3)
    best, rounded = nearest(4, mu="0.3"), rounded_gaussian(4, mu="0.3")
    assert (round(best.error_probability, 3), round(rounded.error_probability, 3)) == (0.717, 0.881)
    assert best.expected_absolute_error() < rounded.expected_absolute_error()


# --- with a budget ----------------------------------------------------------------------------------------------------


def test_a_session_in_mu(people, place):
    create_budget(place, "people", rho="0.5", delta="1e-6")
    with Session(people, place, "people") as session:
        first = session.count("age >= 65", mu="0.6")
        assert (first.ledger.left_mu_squared, first.ledger.left_delta, first.ledger.left_epsilon) == (
            "0.64",
            "0.000001",
            None,
        )
        assert Receipt.from_json(first.to_json()) == first
        assert "Charged to the budget people, with mu 0.8 (mu^2 0.64), delta 0.000001 left" in str(first)
        assert session.count("age >= 65", mu="0.6") == first
        table = session.table("region", ["a", "b"], mu="0.4")
        assert table.ledger.left_mu_squared == "0.32"
        pure = session.count("age >= 66", "0.1", "1e-7")
        assert pure.schema_version == 1
        assert Receipt.from_json(pure.to_json()) == pure
        assert session.remaining.delta == Fraction("9e-7")
    assert Ledger(place).verify().is_intact


# --- what it buys -----------------------------------------------------------------------------------------------------


def test_a_hundred_releases_are_right_far_more_often_in_mu():
    """All together keep (1, 1e-6): a budget in mu gives each mu / 10, sums give it epsilon / 100."""
    n, target = 1000, EpsilonDelta.of(1, "1e-6")
    mu = max(
        Fraction(k, 10**4)
        for k in range(1, 10**4)
        if GaussianDP.of(Fraction(k, 10**4)).least_delta(target.epsilon) <= target.delta
    )
    assert float(mu) == pytest.approx(0.2356, abs=2e-3)
    each = GaussianDP(GaussianDP.of(mu).mu_squared / 100)
    assert each.of_cells(100).least_delta(target.epsilon) <= target.delta
    in_mu, summed = nearest(n, each), nearest(n, "0.01")
    assert 1 - in_mu.error_probability > 1.8 * (1 - summed.error_probability)
    assert in_mu.expected_absolute_error() < 0.45 * summed.expected_absolute_error()
