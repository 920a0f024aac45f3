"""Chains in files: told by their thresholds, read back bit for bit, private by proof, and nothing else is taken for
one."""

import itertools
import json
import math
import pickle
from hashlib import sha256
from struct import pack

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hushcount import EpsilonDelta, audit, nearest, read_mechanism, release_count, save_mechanism
from hushcount.errors import BadData, InvalidParameter, TooLarge
from hushcount.mechanisms import rounded_gaussian, within
from hushcount.mechanisms.chain.gaussian_chain import GivenGaussianChain
from hushcount.mechanisms.chain.point_chain import GivenPointChain
from hushcount.optimal_set import design, right_where
from hushcount.privacy import AuditVerdict
from hushcount.promise import GaussianDP, SeveralPairs
from hushcount.saved import Saved, SavedGaussianChain, SavedMechanism, SavedPointChain
from hushcount.saved.chains import LARGEST_CHAIN, sha256_of

ENDINGS = ("csv", "json")
each_form = pytest.mark.parametrize("ending", ENDINGS)
MU = GaussianDP.of("1/2")
PAIRS = SeveralPairs.of([("0.1", "0.1"), ("0.6", "0.01")])
CSV = """# hushcount mechanism 2
# form = shifts
# mu_squared = 1/4
# n = 3
# name = mine
# loss = squared
inf
0.25
-0.125
"""
JSON = {
    "format": "hushcount mechanism",
    "version": 2,
    "mu_squared": "1/4",
    "n": 3,
    "name": "mine",
    "notes": {"loss": "squared"},
    "shifts": ["inf", 0.25, -0.125],
}
BOTH = SavedGaussianChain(3, MU, (math.inf, 0.25, -0.125), "mine", {"loss": "squared"})


@pytest.fixture
def file(tmp_path):
    def file(content, name="m.csv"):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return file


def bits(numbers):
    return np.array(numbers, dtype=np.float64).view(np.uint64).tolist()


# --- there and back ---------------------------------------------------------------------------------------------------


@st.composite
def gaussian_chains(draw):
    """Shifts of any size whose thresholds do not fall: each is at most mu above the one before it."""
    mu = draw(st.fractions(min_value="1/1000", max_value=20))
    shifts: list[float] = []
    for y in draw(st.lists(st.floats(allow_nan=False), max_size=6)):
        most = shifts[-1] + float(mu) * (1 - 2.0**-50) - abs(shifts[-1]) * 2.0**-50 if shifts else math.inf
        shifts.append(y if not shifts or y <= shifts[-1] or y <= most else shifts[-1])
    return GivenGaussianChain(len(shifts), GaussianDP.of(mu), tuple(shifts))


@st.composite
def point_chains(draw):
    """Points that rise, so that g(x_j) <= x_j <= x_(j+1), near 0 and near 1 as well."""
    chances = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 5e-324, 1e-300, 0.5, 1.0]))
    given = sorted(draw(st.lists(chances, max_size=6)))
    kept = [x - 1 if 0.5 < x < 1 else x for x in given]
    one = st.tuples(st.fractions(min_value=0, max_value=9), st.fractions(min_value=0, max_value="9/10"))
    pairs = SeveralPairs.of(draw(st.lists(one, min_size=1, max_size=3)))
    return GivenPointChain(len(kept), pairs, tuple(kept))


@pytest.mark.slow
@settings(deadline=None)
@given(st.one_of(gaussian_chains(), point_chains()))
def test_round_trip(tmp_path_factory, chain):
    folder = tmp_path_factory.mktemp("chains")
    for ending in ENDINGS:
        path, again = folder / f"m.{ending}", folder / f"again.{ending}"
        written = save_mechanism(chain, path, notes={"by": "hypothesis"})
        found = read_mechanism(path)
        assert found == written
        assert isinstance(found, SavedGaussianChain | SavedPointChain)
        assert bits(found.given) == bits([y + 0.0 for y in chain.given])
        assert (found.promise, found.claim, found.n) == (chain.promise, chain.promise, chain.n)
        assert found.sha256 == sha256_of(chain)
        save_mechanism(found, again)
        assert again.read_bytes() == path.read_bytes()


@each_form
@pytest.mark.parametrize("n", [0, 1, 2, 3, 9])
@pytest.mark.parametrize(
    "make",
    [
        lambda n: nearest(n, MU),
        lambda n: nearest(n, PAIRS),
        lambda n: within(n, MU, 1),
        lambda n: within(n, PAIRS, 1),
        lambda n: rounded_gaussian(n, MU),
    ],
    ids=["nearest-mu", "nearest-pairs", "within-mu", "within-pairs", "rounded"],
)
def test_every_kind_of_chain_keeps_its_law(tmp_path, ending, n, make):
    """Also those that are mirrored, or that keep their numbers otherwise in memory."""
    law = make(n)
    saved = save_mechanism(law, path := tmp_path / f"m.{ending}")
    found = read_mechanism(path)
    assert found == saved
    assert (found.name, found.claim, found.proven_privacy) == (law.name, law.promise, law.promise)
    for true, j in itertools.product(range(n + 1), repeat=2):
        assert found.pmf(true, j) == law.pmf(true, j)
        assert found.enclosed_cdf(true, j, 200).overlaps(law.enclosed_cdf(true, j, 200))
    assert set(found.draw([n] * 20).tolist()) <= set(range(n + 1))
    for promise in found.promise.all_pairs() if found.promise == PAIRS else ():
        assert audit(found, epsilon=promise.epsilon, delta=promise.delta).verdict is not AuditVerdict.NOT_PRIVATE
    if found.promise == MU:
        assert audit(found, mu=MU).verdict is AuditVerdict.PRIVATE


def test_large_chains_are_small_files(tmp_path):
    law = nearest(10_000, mu="0.01")
    for ending in ENDINGS:
        found = save_mechanism(law, path := tmp_path / f"m.{ending}")
        assert path.stat().st_size < 300_000
        back = read_mechanism(path)
        assert back == found
        assert back.pmf(5000, 5000) == law.pmf(5000, 5000)
        assert audit(back, mu="0.01").verdict is AuditVerdict.PRIVATE
        assert audit(back, mu="0.009").verdict is AuditVerdict.NOT_PRIVATE
    with pytest.raises(TooLarge, match="a chain in a file has at most 1,048,576 outcomes"):
        save_mechanism(nearest(LARGEST_CHAIN, mu=1), path)
    assert read_mechanism(path) == found


@each_form
@pytest.mark.parametrize("promise", [MU, PAIRS], ids=str)
@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_designs_are_saved_as_they_are(tmp_path, ending, promise, n):
    path = tmp_path / f"m.{ending}"
    for found in (
        design(n, promise, loss="squared", prior="uniform"),
        right_where(n, promise, weights=[1 + j % 3 for j in range(n + 1)]),
    ):
        saved = found.save(path, notes={"for": "tests"})
        assert read_mechanism(path) == saved
        assert isinstance(saved, SavedGaussianChain | SavedPointChain)
        assert (saved.name, saved.claim, saved.notes["for"]) == ("designed", promise, "tests")
        assert bits(saved.given) == bits([y + 0.0 for y in found.mechanism.given])


def test_a_huge_epsilon_is_saved_as_what_the_design_keeps(tmp_path):
    promise = SeveralPairs.of([(600, 0), (601, "0.1")])
    saved = right_where(3, promise, weights=[1, 2, 1, 1]).save(tmp_path / "m.csv")
    assert saved.claim == SeveralPairs.of([(500, 0), (500, "0.1")])
    assert read_mechanism(tmp_path / "m.csv") == saved


def test_version_1_is_written_where_it_is_enough(tmp_path):
    path = tmp_path / "m.csv"
    right_where(3, 1, weights=[1, 2, 1, 1]).save(path)
    assert path.read_text().startswith("# hushcount mechanism 1\n")
    assert type(read_mechanism(path)) is SavedMechanism
    right_where(4100, 1, weights=[1 + j % 2 for j in range(4101)]).save(path)
    assert path.read_text().startswith("# hushcount mechanism 2\n# form = points\n# epsilon = 1\n# delta = 0\n")
    found = read_mechanism(path)
    assert type(found) is SavedPointChain
    assert found.proven_privacy == EpsilonDelta.of(1)


def test_another_claim_is_one_about_the_matrix(tmp_path):
    saved = save_mechanism(nearest(3, MU), tmp_path / "m.json", epsilon=1, delta="0.1")
    assert (type(saved), saved.claim) == (SavedMechanism, EpsilonDelta.of(1, "0.1"))
    assert type(save_mechanism(nearest(3, MU), tmp_path / "m.json", mu="0.51")) is SavedMechanism
    assert type(save_mechanism(nearest(3, MU), tmp_path / "m.json", mu="0.5")) is SavedGaussianChain
    several = save_mechanism(np.full((2, 2), 0.5), tmp_path / "m.csv", epsilon=PAIRS)
    assert several == read_mechanism(tmp_path / "m.csv")
    assert (type(several), several.claim, several.proven_privacy) == (SavedMechanism, PAIRS, None)


def test_is_a_value():
    assert len({BOTH, pickle.loads(pickle.dumps(BOTH))}) == 1
    point = SavedPointChain(3, PAIRS, (0.25,), True, "half")
    assert pickle.loads(pickle.dumps(point)) == point
    for other in (
        SavedGaussianChain(3, MU, (math.inf, 0.25, -0.25), "mine", {"loss": "squared"}),
        SavedGaussianChain(3, GaussianDP.of(1), BOTH.given, "mine", {"loss": "squared"}),
        SavedGaussianChain(3, MU, BOTH.given, "other", {"loss": "squared"}),
        SavedGaussianChain(3, MU, BOTH.given, "mine"),
        GivenGaussianChain(3, MU, BOTH.given),
        point,
    ):
        assert other != BOTH
    with pytest.raises(TypeError):
        BOTH.notes["loss"] = "none"  # type: ignore[index]
    with pytest.raises(InvalidParameter, match="none of epsilon, delta, n, name, sha256, mu_squared, pairs, form"):
        SavedGaussianChain(0, MU, (), "mine", {"form": "x"})


def test_the_hash_is_of_kind_promise_and_numbers():
    head = b'{"form": "shifts", "n": 3, "mu_squared": "1/4"}\n'.replace(b"1/4", b"0.25")
    assert BOTH.sha256 == sha256(head + pack("<3d", math.inf, 0.25, -0.125)).hexdigest()
    zeros = [SavedGaussianChain(2, MU, given) for given in ((0.0, 0.0), (-0.0, 0.0))]
    assert zeros[0] == zeros[1]
    assert bits(zeros[1].given) == [0, 0]
    whole = SavedPointChain(1, PAIRS, (0.5,))
    half = SavedPointChain(3, PAIRS, (0.5,), True)
    assert whole.sha256 != half.sha256
    assert sha256_of(nearest(3, 1)) is None


# --- reading ----------------------------------------------------------------------------------------------------------


def test_written_by_hand(file):
    assert read_mechanism(file(CSV)) == read_mechanism(file(json.dumps(JSON), "m.json")) == BOTH
    assert read_mechanism(file(CSV.replace("0.25\n", " +25e-2 \n\n"))) == BOTH
    empty = read_mechanism(
        file("# hushcount mechanism 2\n# form = points\n# pairs = " + pairs() + "\n# n = 0\n# name = e\n")
    )
    assert (empty.n, empty.draw(0), empty.claim) == (0, 0, PAIRS)


def pairs():
    return json.dumps(PAIRS.to_fields()["pairs"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.25", "nan", "line 8 holds something that is not a number$"),
        ("0.25", "infinity", "line 8 holds something that is not a number$"),
        ("0.25", "1e999", "line 8 holds a number that is beyond all floats$"),
        ("0.25", "0.25,0.5", "line 8 holds something that is not a number$"),
        ("0.25", "0x1p3", "line 8 holds something that is not a number$"),
        ("-0.125", "0.75000001", r"line 9: shifts\[2\] must be at most shifts\[1\] \+ mu: thresholds must not fall"),
        ("0.25\n", "-inf\n", r"line 9: shifts\[2\] must be at most shifts\[1\] \+ mu"),
        ("inf\n", "-1e308\n", r"line 8: shifts\[1\] must be at most shifts\[0\] \+ mu"),
        ("-0.125\n", "", r"holds 2 shifts, where n = 3 asks for 3; is the file cut off\?$"),
        ("-0.125\n", "-0.125\n-1\n", "line 10 is one of shifts too many: n = 3 asks for 3$"),
        ("n = 3", "n = 4", "holds 3 shifts, where n = 4 asks for 4"),
        ("n = 3", "n = 2", "line 9 is one of shifts too many: n = 2 asks for 2$"),
        ("n = 3", "n = 1048576", "line 4: n must be a whole number from 0 to 1,048,575$"),
        ("n = 3", "n = -3", "line 4: n must be a whole number"),
        ("n = 3", "n = " + "9" * 5000, "line 4: n must be a whole number"),
        ("# n = 3\n", "# n = 3\n# n = 3\n", "line 5 says n again$"),
        ("# form = shifts\n", "# form = shifts\n# form = points\n", "line 3 says form again$"),
        ("form = shifts", "form = noise", "line 2: form must be one of matrix, shifts, points, lower_points$"),
        ("form = shifts", "form = points", "shifts are of a promise of mu_squared, points of one of"),
        ("# form = shifts\n", "", "line 6 holds something that is not a number; a header is not expected$"),
        ("mu_squared = 1/4", "mu_squared = 0", "line 3: mu_squared must be a finite number > 0"),
        ("# mu_squared = 1/4", "# epsilon = 1\n# delta = 0", "shifts are of a promise of mu_squared"),
        ("# mu_squared = 1/4", "# epsilon = 1", "promise must be the fields of a promise"),
        (
            "# mu_squared = 1/4",
            "# mu_squared = 1/4\n# pairs = []",
            "line 4: pairs must be a list of 1 to 1,000 objects",
        ),
        ("# name = mine\n", "", "name must be there$"),
        ("# loss", "# sha256 = 00\n# loss", r"line 6: the shifts are not those that were saved \(its SHA-256 is "),
        ("mechanism 2", "mechanism 1", "epsilon must be there$|line 7 holds something"),
    ],
)
def test_bad_csv(file, old, new, message):
    assert old in CSV
    path = file(CSV.replace(old, new))
    with pytest.raises(BadData, match=message) as caught:
        read_mechanism(path)
    assert str(caught.value).startswith(f"{path}: ")


def changed(**changes):
    return json.dumps({key: value for key, value in {**JSON, **changes}.items() if value is not None})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed(shifts=None), "one of matrix, shifts, points, lower_points must be there, and no other$"),
        (changed(matrix=[[1]]), "one of matrix, shifts, points, lower_points must be there, and no other$"),
        (changed(form="shifts"), "'form' is not a field of a saved mechanism"),
        (changed(shifts=[["inf"], 0.25, 0]), r"shifts\[0\] must be a finite number$"),
        (changed(shifts=["nan", 0.25, 0]), r"shifts\[0\] must be a finite number$"),
        (changed(shifts=["0.5", 0.25, 0]), r"shifts\[0\] must be a finite number$"),
        (changed(shifts=[True, 0.25, 0]), r"shifts\[0\] must be a finite number$"),
        (changed(shifts=[10**400, 0.25, 0]), r"shifts\[0\] must be a finite number$"),
        (changed(shifts=[0.5, float("nan"), 0]), "NaN is not a number in JSON$"),
        (changed(shifts=[0.5, float("inf"), 0]), "Infinity is not a number in JSON$"),
        (changed().replace("0.25", "1e999"), r"shifts\[1\] must be a finite number$"),
        (changed(shifts=[0.5, 0.25]), r"holds 2 shifts, where n = 3 asks for 3; is the file cut off\?$"),
        (changed(shifts=[0.5, 0.25, 0, 0]), "holds 4 shifts, where n = 3 asks for 3$"),
        (changed(shifts={"0": 1}), "shifts must be an array of numbers$"),
        (changed(n=2**20), "n must be a whole number from 0 to 1,048,575$"),
        (changed(shifts=[0.5, 1.01, 0]), r"shifts\[1\] must be at most shifts\[0\] \+ mu"),
        (changed(mu_squared=0.25), "mu_squared must be a text, in quotes$"),
        (changed(mu_squared=None, pairs="x"), "pairs must be a list of 1 to 1,000 objects"),
        (changed(mu_squared=None, pairs=[{"epsilon": "1", "delta": 0}]), "pairs must be a list"),
        (changed(mu_squared=None, pairs=[{"epsilon": "1"}]), "pairs must be a list"),
        (changed(mu_squared=None, pairs=[PAIRS.pairs[0].to_fields()] * 1001), "pairs must be a list"),
        (changed(mu_squared=None), "promise must be the fields of a promise"),
        (changed(epsilon="1", delta="0"), "promise must be the fields of a promise"),
        (changed().replace('"n": 3', '"n": 3, "n": 3'), "the key 'n' appears twice$"),
        (changed(sha256="00"), r"the shifts are not those that were saved \(its SHA-256 is [0-9a-f]{64}\)"),
    ],
)
def test_bad_json(file, text, message):
    path = file(text, "m.json")
    with pytest.raises(BadData, match=message) as caught:
        read_mechanism(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (("0.5", "0.1"), r"line 6: points\[0\] must be one of a chain: g\(x_j\) <= x_\(j\+1\)$"),
        (("0.5", "1.5"), r"line 7: points\[1\] must be a float above -1 and at most 1"),
        (("-1", "0.5"), r"line 6: points\[0\] must be a float above -1 and at most 1"),
        (("0.5", "inf"), r"line 7: points\[1\] must be a float above -1 and at most 1"),
        (("0.5",), "holds 1 points, where n = 2 asks for 2; is the file cut off"),
    ],
)
def test_points_that_are_no_chain(file, numbers, message):
    head = (
        '# hushcount mechanism 2\n# form = points\n# pairs = [{"epsilon": "0.1", "delta": "0"}]\n# n = 2\n# name = x\n'
    )
    with pytest.raises(BadData, match=message):
        read_mechanism(file(head + "\n".join(numbers) + "\n"))


@each_form
@pytest.mark.parametrize("law", [nearest(4, MU), nearest(4, PAIRS)], ids=["mu", "pairs"])
def test_a_file_that_was_cut_is_never_another_mechanism(tmp_path, ending, law):
    save_mechanism(law, whole := tmp_path / f"m.{ending}", notes={"loss": "absolute"})
    expected, text = read_mechanism(whole), whole.read_bytes()
    cut = tmp_path / "cut"
    for length in range(len(text)):
        cut.write_bytes(text[:length])
        try:
            assert read_mechanism(cut) == expected
        except BadData:
            continue
        assert text[length:].strip() == b""


@pytest.mark.slow
@each_form
def test_noise_in_a_file_is_an_error_of_ours(tmp_path, ending):
    save_mechanism(BOTH, whole := tmp_path / f"m.{ending}")
    text, rng = whole.read_bytes(), np.random.default_rng(5)
    bad, messages = tmp_path / "bad", []
    for _ in range(500):
        damaged = bytearray(text)
        for place in rng.integers(0, len(text), size=rng.integers(1, 4)):
            damaged[place] = rng.integers(256)
        bad.write_bytes(damaged)
        try:
            found = read_mechanism(bad)
        except BadData as error:
            messages.append(str(error))
        else:
            assert isinstance(found, SavedGaussianChain)
            assert bits(found.given) == bits(BOTH.given)
    assert len(messages) > 100
    assert all(message.startswith(f"{bad}: ") for message in messages)


# --- in a release -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("promise", [MU, PAIRS], ids=str)
def test_a_receipt_is_read_with_the_file(tmp_path, promise):
    from hushcount import interpret

    right_where(4, promise, weights=[1, 2, 1, 1, 3]).save(tmp_path / "m.csv")
    law = read_mechanism(tmp_path / "m.csv")
    table = tmp_path / "t.csv"
    table.write_text("x\n1\n1\n0\n1\n")
    receipt = release_count(table, "x = 1", promise, mechanism=law)
    assert isinstance(law, Saved)
    assert receipt.audit is not None
    assert receipt.audit.matrix_sha256 == law.sha256
    assert type(receipt).from_json(receipt.to_json()) == receipt
    assert interpret(receipt, mechanism=law).to_dict()["released"] == receipt.released
    other = right_where(4, promise, weights=[1, 2, 1, 1, 4]).mechanism
    with pytest.raises(InvalidParameter, match="the one of the receipt"):
        interpret(receipt, mechanism=other)
