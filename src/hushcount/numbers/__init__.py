"""Numbers: exact rationals, rigorous enclosures, how numbers are spelled, and the values of a grid."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
