"""Numbers: exact rationals, rigorous enclosures and bounds, and how numbers are spelled."""
