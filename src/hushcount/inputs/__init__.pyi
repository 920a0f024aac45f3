from .grid import (
    grid_values as grid_values,
)
