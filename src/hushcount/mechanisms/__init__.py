"""Mechanisms: stochastic matrices from true to released counts, held as laws rather than as tables.

There are the optima (`canonical`, `nearest`, and `explicit_fair` at delta 0), any matrix (`from_matrix`, or
`hushcount.read_mechanism` from a file), and what a user would pick instead.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
