"""The decorator by which one test goes through many cases."""

from __future__ import annotations

import inspect

import pytest
from for_each import for_each


@pytest.mark.parametrize("given", [True, False])
def test_every_value_is_tried_and_the_one_that_fails_is_named(given: bool) -> None:
    tried: list[int] = []

    def check(x: int, y: int) -> None:
        tried.append(x)
        assert x != y

    if given:
        test, others = for_each("x", iter([1, 2, 3]))(check), {}
    else:
        test, others = for_each("x", of="some")(check), {"some": (1, 2, 3)}
    assert set(inspect.signature(test).parameters) == {"y", *others}
    test(y=4, **others)
    assert tried == [1, 2, 3]
    with pytest.raises(AssertionError) as caught:
        test(y=2, **others)
    assert tried == [1, 2, 3, 1, 2]
    assert caught.value.__notes__ == ["x = 2"]


def test_what_would_try_nothing_fails() -> None:
    with pytest.raises(AssertionError):
        for_each("x", [])
    with pytest.raises(AssertionError):
        for_each("x", of="some")(lambda x: None)(some=[])
    with pytest.raises(KeyError):
        for_each("z", [1])(lambda x: None)
