from .base import (
    Mechanism as Mechanism,
)
from .explicit import (
    Explicit as Explicit,
)
from .explicit import (
    from_matrix as from_matrix,
)
from .optima.canonical import (
    Canonical as Canonical,
)
from .optima.canonical import (
    canonical as canonical,
)
from .optima.explicit_fair import (
    ExplicitFair as ExplicitFair,
)
from .optima.explicit_fair import (
    explicit_fair as explicit_fair,
)
from .optima.nearest import (
    Nearest as Nearest,
)
from .optima.nearest import (
    nearest as nearest,
)
from .peers.canonical_noise import (
    ClampedCanonicalNoise as ClampedCanonicalNoise,
)
from .peers.canonical_noise import (
    TruncatedGeometric as TruncatedGeometric,
)
from .peers.canonical_noise import (
    clamped_canonical_noise as clamped_canonical_noise,
)
from .peers.canonical_noise import (
    truncated_geometric as truncated_geometric,
)
from .peers.clamped_gaussian import (
    ClampedGaussian as ClampedGaussian,
)
from .peers.clamped_gaussian import (
    clamped_gaussian as clamped_gaussian,
)
from .peers.folded_geometric import (
    FoldedGeometric as FoldedGeometric,
)
from .peers.folded_geometric import (
    folded_geometric as folded_geometric,
)
from .peers.geometric_rows import (
    Exponential as Exponential,
)
from .peers.geometric_rows import (
    RedrawnGeometric as RedrawnGeometric,
)
from .peers.geometric_rows import (
    exponential as exponential,
)
from .peers.geometric_rows import (
    redrawn_geometric as redrawn_geometric,
)
from .peers.randomized_response import (
    RandomizedResponse as RandomizedResponse,
)
from .peers.randomized_response import (
    Uniform as Uniform,
)
from .peers.randomized_response import (
    randomized_response as randomized_response,
)
from .peers.randomized_response import (
    uniform as uniform,
)
