"""Plans: many counts and tables over declared sources, charged to one budget and published together."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
