"""A publication plan of 50 counts in a CSV file of 10^6 rows, beside a plan of one count in it."""

from itertools import count

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from rows import Peer

ROWS, COUNTS = 10**6, 50
MORE = ["", " AND weight < 60.5", " AND town = 'Bern'"]


@pytest.fixture
def published(tmp_path):
    """Publish so many counts, each time charged to a budget of its own."""
    from hushcount.ledger import create_budget
    from hushcount.plan import read_plan

    rng = np.random.default_rng(1)
    people = {
        "age": rng.integers(0, 100, ROWS),
        "weight": rng.normal(70, 15, ROWS).round(2),
        "town": pa.array(["Bern", "Chur", "Zug"]).take(pa.array(rng.integers(0, 3, ROWS))),
    }
    csv.write_csv(pa.table(people), tmp_path / "people.csv")
    numbers = count()

    def publish(counts):
        budget = f"b{next(numbers)}"
        create_budget(tmp_path / "people.ledger", budget, 1)
        asked = "".join(
            f'[[release]]\nname = "r{at}"\nwhere = "age >= {at}{MORE[at % 3]}"\nepsilon = 0.01\n'
            for at in range(counts)
        )
        head = f'ledger = "people.ledger"\nbudget = "{budget}"\noutputs = "out"\n'
        path = tmp_path / "plan.toml"
        path.write_text(f'{head}[sources.people]\nsource = "people.csv"\n{asked}')
        return read_plan(path).run()

    return publish


def test_many_counts_at_once(side_by_side, published):
    assert len(published(COUNTS)) == COUNTS
    side_by_side(
        f"plan, {COUNTS} counts in a CSV of 10^6 rows",
        lambda: published(COUNTS),
        Peer("a plan of one count", lambda: published(1), limit=3),
        rounds=5,
    )
