"""The paper, [RV26] in docs/bibliography.md, statement by statement, each held against computations that know
nothing of it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
