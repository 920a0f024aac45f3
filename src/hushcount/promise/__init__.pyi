from .adjacency import (
    Adjacency as Adjacency,
    public_range as public_range,
)
from .curve import (
    Curve as Curve,
)
from .epsilon_delta import (
    EpsilonDelta as EpsilonDelta,
)
from .from_meaning import (
    epsilon_for_odds as epsilon_for_odds,
    mu_for_epsilon as mu_for_epsilon,
    mu_for_power as mu_for_power,
)
from .gaussian import (
    GaussianDP as GaussianDP,
    mu_squared_of_pure_epsilon as mu_squared_of_pure_epsilon,
)
from .given import (
    promise_of as promise_of,
)
from .mu_delta import (
    MuDelta as MuDelta,
)
from .several import (
    SeveralPairs as SeveralPairs,
)
