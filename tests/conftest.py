"""One Hypothesis profile for all tests: repeatable, and without a clock (machines differ)."""

from hypothesis import settings

settings.register_profile("hushcount", deadline=None, derandomize=True, max_examples=60, print_blob=True)
settings.load_profile("hushcount")
