"""When a medium costs nothing: Theorem 2 of [RV26], exact decisions, and thresholds."""
