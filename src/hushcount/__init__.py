"""hushcount: private counts that are always possible answers, and wrong as rarely as any private mechanism can be.

Names are loaded on first use, so that `import hushcount` costs next to nothing. `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
