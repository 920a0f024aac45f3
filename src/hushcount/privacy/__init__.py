"""Privacy as it is, not as it is claimed: audits of matrices, mechanisms and samples, properties, composition."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
