"""Released counts and tables as a page to publish: one file, which loads nothing."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
