"""The best labels that swaps of two lead to."""

import json
from itertools import combinations, permutations

import numpy as np
import pytest

from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.medium import (
    from_counts,
    from_matrix,
    optimum,
    psk,
    qam,
    searched_labels,
    snake_labels,
    symmetric_channel,
    z_channel,
)

QAM = qam(16, es_n0_db=6)


def swapped(labels, i, j):
    found = list(labels)
    found[i], found[j] = labels[j], labels[i]
    return found


def test_swaps_gain_on_the_snake():
    snake = optimum(qam(16, es_n0_db=6, labels="snake"), 1)
    found = searched_labels(QAM, 1, labels=snake_labels(16))
    assert found.optimum.upper == pytest.approx(0.6733371, abs=1e-6)
    assert found.optimum.upper < snake.lower - 1e-3
    assert 120 < found.swaps <= 200
    assert (found.is_settled, found.is_best) == (True, False)
    assert np.array_equal(found.medium.matrix, QAM.relabelled(found.labels).matrix)
    assert found.medium.description.endswith(
        f", relabelled: the best labels found by trying {found.swaps} swaps, not proved best"
    )
    assert str(found).startswith(" ".join(map(str, found.labels)) + ": the best labels found by trying ")
    read = json.loads(json.dumps(found.to_dict()))
    assert read["labels"] == list(found.labels)
    assert (read["swaps"], read["is_settled"], read["is_best"]) == (found.swaps, True, False)


def test_no_swap_gains_where_the_search_is_settled():
    medium = z_channel(3, "1/5").relabelled([5, 2, 0, 7, 1, 6, 3, 4])
    found = searched_labels(medium, 1, "0.01", swaps=1000)
    assert found.is_settled
    assert not found.is_best
    assert found.optimum.upper < optimum(medium, 1, "0.01").lower
    for i, j in combinations(range(8), 2):
        other = optimum(medium.relabelled(swapped(found.labels, i, j)), 1, "0.01")
        assert other.upper >= found.optimum.lower - 1e-6


def test_the_search_stops_at_the_number_of_swaps_and_goes_no_worse():
    least = [searched_labels(QAM, 1, swaps=swaps) for swaps in (0, 1, 7, 30)]
    assert [found.swaps for found in least] == [0, 1, 7, 30]
    assert least[0].labels == tuple(range(16))
    assert least[0].optimum.upper == optimum(QAM, 1).upper
    assert all(not found.is_settled for found in least)
    errors = [found.optimum.upper for found in least]
    assert errors == sorted(errors, reverse=True)
    assert least[1].explanation == "the best labels found by trying 1 swap, not proved best"


def test_the_same_call_finds_the_same():
    one, other = (searched_labels(QAM, 1, swaps=40, labels=snake_labels(16)) for _ in range(2))
    assert one.labels == other.labels
    assert one.medium == other.medium


def test_nothing_is_tried_where_no_labels_can_gain():
    for medium in (psk(8, es_n0_db=20), symmetric_channel(5, "0.2"), from_matrix([[1]])):
        found = searched_labels(medium, 1)
        assert (found.swaps, found.is_best) == (0, True)
        assert found.explanation == "the best labels found by trying 0 swaps, proved best within 1e-06"


def test_proved_best_is_best_of_all():
    medium = psk(5, es_n0_db=2).relabelled([1, 4, 0, 3, 2])
    found = searched_labels(medium, 1)
    every = [optimum(medium.relabelled(labels), 1).lower for labels in permutations(range(5))]
    assert found.is_best
    assert found.swaps > 0
    assert found.optimum.upper <= min(every) + 1e-6


def test_labels_change_only_what_is_read():
    """What a mechanism leaks depends on no label: the columns of G T alone change places."""
    labels = [3, 1, 0, 2]
    medium = psk(4, es_n0_db=1)
    used = optimum(medium.relabelled(labels), 1).mechanism.matrix()
    back = np.zeros_like(used)
    back[:, labels] = used  # count k is sent as labels[k]
    assert np.allclose((back @ medium.matrix)[:, labels], used @ medium.relabelled(labels).matrix, rtol=1e-12)


@pytest.mark.parametrize(
    ("medium", "options", "kind", "message"),
    [
        (QAM, {"swaps": -1}, InvalidParameter, "^swaps must be an integer >= 0"),
        (QAM, {"swaps": 1.5}, InvalidParameter, "^swaps must be"),
        (QAM, {"swaps": None}, InvalidParameter, "^swaps must be"),
        (QAM, {"labels": [0, 1]}, InvalidParameter, r"^labels must be a permutation of 0\.\.15"),
        (QAM, {"labels": [0.0] * 16}, InvalidParameter, "^labels must be an integer"),
        (QAM, {"labels": "snake"}, InvalidParameter, r"^labels must be a permutation of 0\.\.15"),
        (from_counts([[9, 1], [1, 9]]), {}, BadUse, "observed frequencies"),
        (symmetric_channel(257, "0.1"), {}, TooLarge, "up to 256 symbols .got 257"),
    ],
)
def test_refused(medium, options, kind, message):
    with pytest.raises(kind, match=message):
        searched_labels(medium, 1, **options)


def test_epsilon_is_checked_first():
    with pytest.raises(InvalidParameter, match=r"^epsilon must be"):
        searched_labels(QAM, -1)
