"""The media made from a few numbers, under the names that commands and files give them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType

from hushcount.medium.channels.bits import binary_erasure, binary_symmetric, z_channel
from hushcount.medium.channels.fsk import fsk
from hushcount.medium.channels.pam import pam
from hushcount.medium.channels.plane.apsk import apsk, cross_qam
from hushcount.medium.channels.psk import psk
from hushcount.medium.channels.qam import qam
from hushcount.medium.channels.rounding import rounding
from hushcount.medium.channels.symmetric import symmetric_channel
from hushcount.medium.medium import Medium

__all__ = ["MEDIA", "takes"]

MEDIA: Mapping[str, Callable[..., Medium]] = MappingProxyType(
    {
        "psk": psk,
        "pam": pam,
        "qam": qam,
        "fsk": fsk,
        "apsk": apsk,
        "cross-qam": cross_qam,
        "binary-symmetric": binary_symmetric,
        "binary-erasure": binary_erasure,
        "z-channel": z_channel,
        "symmetric": symmetric_channel,
        "rounding": rounding,
    }
)


def takes(kind: str) -> tuple[str, ...]:
    """Return the names of the arguments that a kind of medium takes, in their order."""
    return tuple(inspect.signature(MEDIA[kind]).parameters)
