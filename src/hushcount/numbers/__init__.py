"""Numbers: exact rationals, rigorous enclosures and bounds, and how numbers are spelled."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
