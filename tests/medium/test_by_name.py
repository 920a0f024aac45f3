"""The media by name: those of the command, with the arguments of their functions."""

import pytest

from hushcount import psk
from hushcount.cli.medium import _TAKES
from hushcount.medium.by_name import MEDIA, takes


def test_names_are_those_of_the_command():
    assert set(MEDIA) <= set(_TAKES)
    assert MEDIA["psk"] is psk


@pytest.mark.parametrize("kind", MEDIA)
def test_arguments_are_those_of_the_command(kind):
    assert takes(kind) == {"coherent" if name == "non_coherent" else name for name in _TAKES[kind]}
