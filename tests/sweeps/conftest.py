"""Sweeps without worker processes, where a test is not about them."""

import pytest

from hushcount.sweeps.worker import evaluated


@pytest.fixture
def here(monkeypatch):
    """Points are computed in this process, last first; after `here.stop` of them comes Ctrl-C. Counts what it does."""

    class Here:
        stop = None
        computed = 0

        def rows(self, points, backend, jobs):
            for number, point in enumerate(reversed(list(points))):
                if number == self.stop:
                    raise KeyboardInterrupt
                self.computed += 1
                yield evaluated(point)

    worker = Here()
    monkeypatch.setattr("hushcount.sweeps.run.rows_of", worker.rows)
    return worker
