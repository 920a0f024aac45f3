"""Arguments judged alike wherever they come in."""

from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import hushcount
from hushcount import HushcountError, ReadOptions, audit, audit_samples, nearest
from hushcount.counting import count_matching
from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer, listed, member_of, one_of, path_text
from hushcount.inputs.grid import grid_texts
from hushcount.mechanisms.by_name import MECHANISMS
from hushcount.optimal_set import design
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release.law import Law


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_integers(value):
    found = integer(value, "t", least=3)
    assert (found, type(found)) == (3, int)


@pytest.mark.parametrize("bad", [True, np.True_, 3.0, np.float64(3), "3", None, [3], np.array([3])])
def test_not_integers(bad):
    with pytest.raises(InvalidParameter, match=r"^t must be an integer\b"):
        integer(bad, "t")


def test_an_integer_below_the_least():
    assert integer(-5, "t") == -5
    with pytest.raises(InvalidParameter, match=r"^t must be an integer >= 1 \(got 0\)$"):
        integer(np.int8(0), "t", least=1)


@pytest.mark.parametrize("values", [[1, 2], (1, 2), {1: 0, 2: 0}, iter([1, 2]), np.array([1, 2])])
def test_lists(values):
    assert listed(values, "x", "a list") == [1, 2]


@pytest.mark.parametrize("bad", [5, 0.5, None, "12", b"12", nearest(3, 1), np.array(5)])
def test_not_lists(bad):
    with pytest.raises(InvalidParameter, match=r"^x must be a list\b"):
        listed(bad, "x", "a list")


def test_a_fault_inside_an_iterable_is_not_hidden():
    def faulty():
        yield 1
        raise TypeError("of its own")

    with pytest.raises(TypeError, match="of its own"):
        listed(faulty(), "x", "a list")


@pytest.mark.parametrize("spelled", ["a/b.csv", Path("a/b.csv")])
def test_paths(spelled):
    assert Path(path_text(spelled, "source")) == Path("a/b.csv")


@pytest.mark.parametrize("bad", [None, 5, b"a.csv", ["a.csv"], Path])
def test_not_paths(bad):
    takers = [hushcount.read_matrix, hushcount.read_samples]
    takers += [lambda path: count_matching(path, "a > 1")]
    if bad is not None:  # which stands for the source that a budget lists
        takers += [lambda path: hushcount.release_count(path, "a > 1", 1)]
    for take in takers:
        with pytest.raises(
            InvalidParameter,
            match=r"^(path|source) must be the path of a file, (as text or Path|an address, or a frame)",
        ):
            take(bad)


# --- no function answers nonsense with a bare TypeError or AttributeError --------------------------------------------

NONSENSE = [None, True, -1, 0.5, float("nan"), 1j, "x", b"x", [], [None], {}, object(), np.ma.masked, np.array(["x"])]
RNG = np.random.default_rng(1)
LOG = [[0, 1], [1, 1]] * 100
GOOD_CALLS = [
    (hushcount.nearest, {"n": 3, "epsilon": 1, "delta": 0.1}),
    (hushcount.mechanisms.clamped_gaussian, {"n": 3, "epsilon": 1, "delta": 0.1}),
    (hushcount.mechanisms.redrawn_geometric, {"n": 3, "epsilon": 1}),
    (hushcount.from_matrix, {"matrix": [[1.0]]}),
    (hushcount.compare, {"n": 3, "epsilon": 1, "delta": 0}),
    (hushcount.compose, {"releases": [(1, 0)], "target_delta": 0.1}),
    (hushcount.privacy.properties, {"mechanism_or_matrix": [[1.0]]}),
    (hushcount.read_matrix, {"path": "x.csv"}),
    (hushcount.read_samples, {"path": "x.csv"}),
    (hushcount.EpsilonDelta, {"epsilon": Fraction(1), "delta": Fraction(0)}),
    (hushcount.EpsilonDelta.of, {"epsilon": 1, "delta": 0}),
    (audit, {"mechanism_or_matrix": [[1.0]], "epsilon": 1, "delta": 0, "distance": 1}),
    (audit([[1.0]]).profile, {"epsilons": [1]}),
    (audit_samples, {"pairs_or_sampler": LOG, "epsilon": 1, "delta": 0, "confidence": 0.9, "distance": 1, "rng": RNG}),
    (audit_samples, {"pairs_or_sampler": lambda true, size: [0] * size, "true_counts": [0, 1], "draws": 999}),
    (lambda drawn: audit_samples(lambda true, size: drawn, true_counts=[0, 1], draws=2), {"drawn": [1]}),
    (hushcount.simulate, {"mechanism": nearest(3, 1), "true": 1, "rng": RNG}),
    (nearest(3, 1).draw, {"true": [1, 2]}),
    (nearest(3, 1).pmf, {"true": 1, "released": 1}),
    (nearest(3, 1).quantile, {"true": 1, "probability": 0.5}),
    (hushcount.canonical(3, 1).product, {"x": [1, 0, 0, 0]}),
    (hushcount.canonical(3, 1).solve, {"b": [1, 0, 0, 0]}),
    (ReadOptions, {field.name: getattr(ReadOptions(), field.name) for field in fields(ReadOptions)}),
    (
        hushcount.release_count,
        {"source": "x.csv", "where": "a > 1", "epsilon": 1, "delta": 0, "adjacency": "add-remove", "max_count": 9,
         "mechanism": "nearest", "options": ReadOptions()},
    ),
]  # fmt: skip


@pytest.mark.grid
@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [(function, arguments, name) for function, arguments in GOOD_CALLS for name in arguments],  # type: ignore[attr-defined]
)
def test_nonsense_is_taken_or_refused_by_name(function, arguments, name):
    for bad in NONSENSE:
        with suppress(HushcountError):
            function(**{**arguments, name: bad})


@pytest.mark.parametrize(
    ("check", "end"),
    [
        (lambda: one_of("narest", "mechanism", MECHANISMS), "(got 'narest'); did you mean 'nearest'?"),
        (lambda: one_of("Uniform", "mechanism", MECHANISMS), "(got 'Uniform'); did you mean 'uniform'?"),
        (lambda: one_of("zzz", "mechanism", MECHANISMS), "(got 'zzz')"),
        (lambda: one_of(["nearest"], "mechanism", MECHANISMS), "(got a list)"),
        (lambda: one_of("", "mechanism", MECHANISMS), "(got '')"),
        (lambda: grid_texts("nearest,canonnical", "mechanism", MECHANISMS), "did you mean 'canonical'?"),
        (lambda: member_of(Adjacency, "adjacency", "replace_one"), "did you mean 'replace-one'?"),
        (lambda: Law.of("neares", EpsilonDelta.of(1)), "(got 'neares'); did you mean 'nearest'?"),
        (lambda: design(2, 1, loss="square"), "did you mean 'squared'?"),
    ],
)
def test_an_unknown_name_is_told_the_nearest(check, end):
    with pytest.raises(InvalidParameter) as caught:
        check()
    assert str(caught.value).endswith(end)
