from .simulation import (
    simulate as simulate,
)
