"""All mechanisms with the least worst-case error probability, and the best of all private ones for a loss."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
