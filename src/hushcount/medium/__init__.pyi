from .certified.bounds import (
    Bound as Bound,
)
from .certified.bounds import (
    bounds as bounds,
)
from .certified.optimum import (
    MediumBasis as MediumBasis,
)
from .certified.optimum import (
    MediumOptimum as MediumOptimum,
)
from .certified.optimum import (
    optimum as optimum,
)
from .channels.bits import (
    binary_erasure as binary_erasure,
)
from .channels.bits import (
    binary_symmetric as binary_symmetric,
)
from .channels.bits import (
    z_channel as z_channel,
)
from .channels.fsk import (
    fsk as fsk,
)
from .channels.given import (
    medium_from_matrix as medium_from_matrix,
)
from .channels.given import (
    read_medium as read_medium,
)
from .channels.gray import (
    gray_code as gray_code,
)
from .channels.measured import (
    MeasuredMedium as MeasuredMedium,
)
from .channels.measured import (
    medium_from_counts as medium_from_counts,
)
from .channels.measured import (
    read_counts as read_counts,
)
from .channels.pam import (
    pam as pam,
)
from .channels.psk import (
    psk as psk,
)
from .channels.qam import (
    qam as qam,
)
from .channels.rounding import (
    rounding as rounding,
)
from .channels.symmetric import (
    symmetric_channel as symmetric_channel,
)
from .medium import (
    Medium as Medium,
)
from .theorem_2.lossless import (
    Losslessness as Losslessness,
)
from .theorem_2.lossless import (
    LosslessVerdict as LosslessVerdict,
)
from .theorem_2.lossless import (
    is_lossless as is_lossless,
)
from .theorem_2.statement import (
    Conclusion as Conclusion,
)
from .theorem_2.statement import (
    Statement as Statement,
)
from .theorem_2.theorem_2 import (
    canonical_fits as canonical_fits,
)
from .theorem_2.theorem_2 import (
    corollary_2_1 as corollary_2_1,
)
from .theorem_2.theorem_2 import (
    statement_1 as statement_1,
)
from .theorem_2.theorem_2 import (
    statement_1_with_radius as statement_1_with_radius,
)
from .theorem_2.theorem_2 import (
    statement_2_max_norm as statement_2_max_norm,
)
from .theorem_2.theorem_2 import (
    statement_2_row_norm as statement_2_row_norm,
)
from .theorem_2.theorem_2 import (
    statement_3 as statement_3,
)
from .theorem_2.theorem_2 import (
    statement_4 as statement_4,
)
from .theorem_2.theorem_2 import (
    statement_5 as statement_5,
)
from .theorem_2.theorem_2 import (
    statement_6 as statement_6,
)
from .theorem_2.thresholds import (
    Threshold as Threshold,
)
from .theorem_2.thresholds import (
    largest_lossless_epsilon as largest_lossless_epsilon,
)
from .theorem_2.thresholds import (
    required_snr as required_snr,
)
