"""Linear programs over private mechanisms, and what is certain about their answers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
