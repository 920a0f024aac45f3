"""A fixed medium after the mechanism: channels and modulations as stochastic matrices, rows = sent."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
