"""Mechanisms in files: a matrix with the promise claimed of it or a chain that proves it, and where it comes from."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
