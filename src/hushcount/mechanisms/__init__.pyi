from .accuracy import (
    Accuracy as Accuracy,
    epsilon_for as epsilon_for,
    mu_for as mu_for,
)
from .base import (
    Mechanism as Mechanism,
)
from .chain.never_invented import (
    NeverInvented as NeverInvented,
)
from .chain.within import (
    within as within,
)
from .explicit import (
    Explicit as Explicit,
    from_matrix as from_matrix,
)
from .least_error import (
    least_error_probability as least_error_probability,
)
from .optima.canonical import (
    Canonical as Canonical,
    canonical as canonical,
)
from .optima.explicit_fair import (
    ExplicitFair as ExplicitFair,
    explicit_fair as explicit_fair,
)
from .optima.nearest import (
    Nearest as Nearest,
    nearest as nearest,
)
from .peers.canonical_noise import (
    ClampedCanonicalNoise as ClampedCanonicalNoise,
    TruncatedGeometric as TruncatedGeometric,
    clamped_canonical_noise as clamped_canonical_noise,
    truncated_geometric as truncated_geometric,
)
from .peers.clamped_gaussian import (
    ClampedGaussian as ClampedGaussian,
    ZcdpGaussian as ZcdpGaussian,
    clamped_gaussian as clamped_gaussian,
    zcdp_gaussian as zcdp_gaussian,
)
from .peers.folded_geometric import (
    FoldedGeometric as FoldedGeometric,
    folded_geometric as folded_geometric,
)
from .peers.geometric_rows import (
    Exponential as Exponential,
    RedrawnGeometric as RedrawnGeometric,
    exponential as exponential,
    redrawn_geometric as redrawn_geometric,
)
from .peers.randomized_response import (
    RandomizedResponse as RandomizedResponse,
    Uniform as Uniform,
    randomized_response as randomized_response,
    uniform as uniform,
)
from .peers.rounded_gaussian import (
    AnalyticGaussian as AnalyticGaussian,
    RoundedGaussian as RoundedGaussian,
    analytic_gaussian as analytic_gaussian,
    rounded_gaussian as rounded_gaussian,
)
