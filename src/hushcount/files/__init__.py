"""Files of numbers, read strictly, and files that are written whole or not at all."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
