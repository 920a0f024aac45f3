"""Ledger: budgets that are exact and durable, and the history of what was charged to them. No mechanism is known
here."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
