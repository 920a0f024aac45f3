from .intervals import (
    Interval as Interval,
)
