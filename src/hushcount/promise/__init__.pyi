from .adjacency import (
    Adjacency as Adjacency,
    public_range as public_range,
)
from .epsilon_delta import (
    EpsilonDelta as EpsilonDelta,
)
