"""The seeded door, and that releases cannot reach it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hushcount.release
from hushcount import nearest, simulate
from hushcount.errors import InvalidParameter


def test_repeatable():
    mechanism = nearest(100, 0.1)
    one, two = (simulate(mechanism, np.arange(101), rng=np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(one, two)
    assert type(simulate(mechanism, 5, rng=np.random.default_rng(5))) is int


@pytest.mark.parametrize("bad", [None, 5, "seed", np.random])
def test_only_a_generator(bad):
    with pytest.raises(InvalidParameter, match=r"^rng must be a numpy\.random\.Generator"):
        simulate(nearest(3, 1), 1, rng=bad)


def test_masked_counts_are_refused():
    masked = np.ma.array([1, 2], mask=[False, True])
    with pytest.raises(
        InvalidParameter, match=r"^true must be integer counts from 0 to n = 3, without masked entries$"
    ):
        simulate(nearest(3, 1), masked, rng=np.random.default_rng(1))


def test_release_cannot_reach_it():
    """Nothing that a release loads knows the seeded door, and no file of release or the sampler names it."""
    program = (
        "import sys, hushcount.release.count.release, hushcount.cli; "
        "from hushcount import nearest; nearest(5, 1).draw(2); "
        "assert 'hushcount.drawing.simulation' not in sys.modules and 'random' not in dir(hushcount.release)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    release = Path(hushcount.release.__file__).parent
    for path in [*release.rglob("*.py"), release.parent / "drawing" / "sampler.py"]:
        text = path.read_text()
        assert "simulat" not in text.replace("tests and simulations", "")
        assert "default_rng" not in text
