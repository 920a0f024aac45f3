"""A user's own mechanisms: audited before they may draw, and refused with what would suffice."""

import re
from fractions import Fraction

import numpy as np
import pytest

import hushcount.release.admission
from hushcount import canonical, from_matrix, nearest, save_mechanism
from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.mechanisms import redrawn_geometric, truncated_geometric
from hushcount.privacy import AuditVerdict
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.several import SeveralPairs
from hushcount.release.admission import admitted as judge
from hushcount.release.findings import Findings
from hushcount.release.guarantee import Guarantee
from hushcount.release.law import Law
from hushcount.saved.mechanism import matrix_sha256

THREE = from_matrix([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
"""Private from epsilon = ln 2 up, at delta = 0."""

ODD = from_matrix([[0.875, 0.125, 0], [0.375, 0.5, 0.125], [0.125, 0.375, 0.5]])
"""Private at no epsilon with delta = 0: an outcome is impossible in one row."""


def admitted(mechanism, epsilon, delta):
    return judge(mechanism, EpsilonDelta.of(epsilon, delta))


def law(mechanism, epsilon, delta=0):
    return Law.of(mechanism, EpsilonDelta.of(epsilon, delta))


def test_admitted():
    found = law(THREE, "0.7", "0.1")
    assert (found.name, found.promise, found.at(2)) == ("audited", EpsilonDelta.of("0.7", "0.1"), THREE)
    assert found.audit == Findings("explicit", matrix_sha256(THREE.entries), 0)
    assert found.full_name == f"explicit (matrix SHA-256 {matrix_sha256(THREE.entries)})"


def test_the_least_delta_is_that_of_the_audit():
    # 1/2 - e^epsilon / 4 for each pair of rows
    delta = 0.5 - np.exp(0.5) / 4
    assert admitted(THREE, "0.5", "0.1").least_delta == pytest.approx(delta, rel=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("law", [THREE, ODD, nearest(40, 1), canonical(3, 2, 1e-3), redrawn_geometric(5, 1)])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.1", 0), (0, "1e-9"), ("0.6", "1e-400"), ("1e-400", 0)])
def test_what_a_refusal_names_is_enough_and_hardly_more(law, epsilon, delta):
    with pytest.raises(
        InvalidParameter, match=r"^mechanism must be private at epsilon .*found that it takes"
    ) as caught:
        admitted(law, epsilon, delta)
    named = dict(re.findall(r"(epsilon|delta) (\S+) at that (?:epsilon|delta)", str(caught.value)))
    assert named
    for ask in ({"epsilon": named.get("epsilon"), "delta": delta}, {"epsilon": epsilon, "delta": named["delta"]}):
        if ask["epsilon"] is not None:
            assert admitted(law, **ask).name == law.name
            less = {key: Fraction(ask[key]) * Fraction(99999, 100000) for key in named if ask[key] == named.get(key)}
            with pytest.raises(InvalidParameter, match="mechanism must be private"):
                admitted(law, **{**ask, **less})


def test_no_epsilon_is_enough():
    with pytest.raises(InvalidParameter) as caught:
        admitted(ODD, 5, 0)
    assert str(caught.value) == (
        "mechanism must be private at epsilon 5, delta 0; an audit found that it takes delta 0.125 at that epsilon "
        "(got 'explicit')"
    )


def test_nothing_is_enough():
    with pytest.raises(InvalidParameter, match=r"found it private at no epsilon with that delta, and at no delta with"):
        admitted(from_matrix(np.eye(3)), 1, "0.5")


def test_a_long_epsilon_is_shortened():
    with pytest.raises(InvalidParameter, match=r"private at epsilon about 0\.1, delta 0; an audit"):
        admitted(THREE, 0.1, 0)


def test_undecided_is_refused(monkeypatch):
    real = hushcount.release.admission.audit  # type: ignore[attr-defined]

    def undecided(*arguments, **options):
        found = real(*arguments, **options)
        object.__setattr__(found, "verdict", AuditVerdict.UNDECIDED)
        return found

    monkeypatch.setattr(hushcount.release.admission, "audit", undecided)
    with pytest.raises(
        InvalidParameter, match=r"an audit could not decide that, but it surely is at epsilon 0\.693148 "
    ):
        admitted(THREE, "0.7", 0)


def test_a_claim_does_not_count(tmp_path):
    """A file that claims too much privacy is refused, one that claims too little is admitted for what it is."""
    boastful = save_mechanism(THREE, tmp_path / "m.csv", epsilon="1e-9", name="boastful")
    with pytest.raises(InvalidParameter, match=r"\(got 'boastful'\)$"):
        admitted(boastful, "1e-9", 0)
    modest = save_mechanism(THREE, tmp_path / "m.csv", epsilon=5, delta="0.5", name="modest")
    assert admitted(modest, "0.7", 0).name == "modest"


def test_rounded_matrices_take_a_tiny_delta(tmp_path):
    saved = save_mechanism(nearest(7, "0.5").matrix(), tmp_path / "m.csv", epsilon="0.5")
    with pytest.raises(
        InvalidParameter, match=r"takes epsilon 0\.500001 at that delta or delta \d\S*e-17 at that epsilon"
    ):
        admitted(saved, "0.5", 0)
    assert 0 < admitted(saved, "0.5", "1e-15").least_delta < 1e-16


def test_a_saved_closed_form_keeps_its_promise(tmp_path):
    saved = save_mechanism(nearest(7, "0.5"), tmp_path / "m.csv")
    assert admitted(saved, "0.5", 0).name == "nearest"
    assert np.abs(saved.entries - nearest(7, "0.5").matrix()).max() < 1e-14


@pytest.mark.parametrize("n", [0, 1])
def test_small_ranges(n):
    law = from_matrix(np.full((n + 1, n + 1), 1 / (n + 1)))
    assert admitted(law, 0, 0).least_delta == 0


def test_closed_forms_are_audited_too():
    brought = truncated_geometric(10**6, "0.5")
    found = law(brought, "0.5")
    assert (found.audit.name, found.audit.matrix_sha256) == ("truncated-geometric", None)
    assert found.full_name == f"truncated-geometric ({brought!r})"
    with pytest.raises(InvalidParameter, match=r"^mechanism must be private at epsilon 0\.5, delta 0; an audit"):
        admitted(redrawn_geometric(10, "0.5"), "0.5", 0)
    with pytest.raises(TooLarge):
        admitted(redrawn_geometric(10**6, "0.5"), "0.5", 0)


@pytest.mark.parametrize(
    ("epsilon", "delta", "argument"),
    [(-1, 0, "epsilon"), ("nan", 0, "epsilon"), ("1e10", 0, "epsilon"), (1, 1, "delta")],
)
def test_bad_parameters(epsilon, delta, argument):
    with pytest.raises(InvalidParameter) as caught:
        admitted(THREE, epsilon, delta)
    assert caught.value.argument == argument


@pytest.mark.parametrize("n", [0, 1, 3, 10**12])
def test_only_for_its_own_range(n):
    found = law(THREE, "0.7")
    assert found.at(2) is THREE
    with pytest.raises(
        BadUse, match=rf"^mechanism must be one for the range of the release, 0 to {n}: its own is 0 to 2"
    ):
        found.at(n)


def test_a_guarantee_says_what_was_found():
    found = law(THREE, "0.7")
    settled = Guarantee.of(found, found.at(2), Adjacency.REPLACE_ONE)
    assert (settled.mechanism, settled.audit.name, settled.maximum) == ("audited", "explicit", 2)
    assert settled.chances == {0: 0.5, 1: 0.25, 2: 0, 5: 0}
    assert law("nearest", "0.7").audit is None


@pytest.mark.parametrize("bad", ["", "best", "Nearest", None, 3, [[1.0]], nearest])
def test_neither_name_nor_mechanism(bad):
    with pytest.raises(
        InvalidParameter,
        match=r"^mechanism must be one of nearest, canonical, never-invented, rounded-gaussian, within:T, or a saved ",
    ):
        law(bad, 1)


# --- at mu ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [THREE, nearest(4, mu="0.8"), nearest(4, 1), truncated_geometric(9, "0.5")], ids=repr)
def test_at_mu_what_a_refusal_names_is_enough_and_hardly_more(law):
    with pytest.raises(
        InvalidParameter, match=r"must be private at mu 0\.1; an audit found that it takes mu"
    ) as caught:
        judge(law, GaussianDP.of("0.1"))
    named = Fraction(re.search(r"takes mu (\S+) ", str(caught.value))[1])
    found = judge(law, GaussianDP.of(named))
    assert found.least_delta is None
    assert found.least_mu <= float(named)
    with pytest.raises(InvalidParameter, match="must be private at mu"):
        judge(law, GaussianDP.of(named * Fraction(99999, 100000)))


def test_at_mu_the_claim_of_a_file_has_no_effect(tmp_path):
    boastful = save_mechanism(THREE, tmp_path / "m.csv", mu="0.001", name="boastful")
    with pytest.raises(InvalidParameter, match=r"\(got 'boastful'\)$"):
        judge(boastful, GaussianDP.of("0.001"))
    modest = save_mechanism(THREE, tmp_path / "m.csv", epsilon=9, name="modest")
    assert judge(modest, GaussianDP.of(1)).least_mu == pytest.approx(0.6745, abs=1e-4)  # Phi^-1(.5) - Phi^-1(.25)


def test_what_no_mu_is_enough_for():
    with pytest.raises(InvalidParameter, match=r"an audit found it private at no mu \(got 'explicit'\)$"):
        judge(ODD, GaussianDP.of(100))
    with pytest.raises(BadUse, match="needs monotone likelihood ratios"):
        judge(canonical(5, 1), GaussianDP.of(100))


def test_each_of_several_pairs_is_audited():
    with pytest.raises(InvalidParameter, match=r"private at epsilon 0\.5, delta 0\.01; an audit found that it takes"):
        Law.of(THREE, SeveralPairs.of([(1, 0), ("0.5", "0.01")]))
    assert Law.of(THREE, SeveralPairs.of([(1, 0), ("0.5", "0.1")])).audit == Findings(
        "explicit", matrix_sha256(THREE.entries)
    )


def test_what_is_not_decided_is_refused():
    """Of more than 33 rows an audit settles some pairs only."""
    rounded = from_matrix((1 - 1e-12) * nearest(60, mu="0.8").matrix() + 1e-12 / 61)
    with pytest.raises(InvalidParameter, match=r"could not decide that, but it surely is at mu 0\.800001 "):
        judge(rounded, GaussianDP.of("0.8"))
    assert judge(rounded, GaussianDP.of("0.800001")).least_mu < 0.800001


@pytest.mark.parametrize("n", [0, 1])
def test_small_ranges_at_mu(n):
    assert judge(from_matrix(np.full((n + 1, n + 1), 1 / (n + 1))), GaussianDP.of("1e-300")).least_mu == 0
