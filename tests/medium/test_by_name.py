"""The media by name, with the arguments of their functions, which are the options of the command."""

import pytest

from hushcount.medium import psk
from hushcount.medium.channels.by_name import MEDIA, takes

TAKES = {
    "psk": ("order", "es_n0_db", "eb_n0_db", "fading"),
    "pam": ("order", "es_n0_db", "eb_n0_db", "fading"),
    "qam": ("order", "es_n0_db", "eb_n0_db", "fading", "labels"),
    "fsk": ("order", "es_n0_db", "eb_n0_db", "fading", "coherent"),
    "apsk": ("order", "rings", "radii", "phases", "es_n0_db", "eb_n0_db", "fading"),
    "cross-qam": ("order", "es_n0_db", "eb_n0_db", "fading"),
    "binary-symmetric": ("bits", "p", "labels"),
    "binary-erasure": ("bits", "p", "labels", "decide"),
    "z-channel": ("bits", "p", "labels"),
    "symmetric": ("order", "p"),
    "rounding": ("order", "multiple", "to"),
}


def test_names_are_those_of_the_command():
    assert list(MEDIA) == list(TAKES)
    assert MEDIA["psk"] is psk


@pytest.mark.parametrize("kind", MEDIA)
def test_arguments_are_those_of_the_command(kind):
    assert takes(kind) == TAKES[kind]
