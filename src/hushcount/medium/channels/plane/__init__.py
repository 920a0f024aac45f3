"""Points in the plane, with nearest-point decisions."""
