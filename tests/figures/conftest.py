"""What the tests of figures share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from matplotlib.axes import Axes
from pictures import PICTURES


@pytest.fixture(params=PICTURES)
def picture(request: pytest.FixtureRequest) -> Callable[..., Axes]:
    """Each kind of picture."""
    return PICTURES[request.param]
