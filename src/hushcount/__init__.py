"""hushcount: private counts that are always possible answers, and wrong as rarely as any private mechanism can be.

What is typed daily is here; the rest is reached through its topic, as in `hushcount.medium.psk`. Names and topics are
loaded on first use, so `import hushcount` costs almost nothing. `__init__.pyi` lists them.
"""

from importlib.machinery import PathFinder

import lazy_loader

_listed, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Return a name that the stub lists; the error for any other says which topics have it, if any do."""
    try:
        return _listed(name)
    except AttributeError as error:
        topics = [each for each in __all__ if PathFinder.find_spec(f"{__name__}.{each}", __path__)]
        places = [f"{__name__}.{topic}.{name}" for topic in topics if name in _listed(topic).__all__]
        raise AttributeError(f"{error}{'; it is ' * bool(places)}{' or '.join(places)}") from None
