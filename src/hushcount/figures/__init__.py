"""Pictures: functions that draw into axes and return them, and files. They need matplotlib (the extra `figures`)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
