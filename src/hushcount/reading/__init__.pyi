from .cells import (
    CellReading as CellReading,
)
from .cells import (
    CellSets as CellSets,
)
from .count import (
    Interpretation as Interpretation,
)
from .count import (
    interpret as interpret,
)
from .inverse import (
    NoInverse as NoInverse,
)
from .posterior import (
    Posterior as Posterior,
)
from .table import (
    Histogram as Histogram,
)
from .table import (
    TableInterpretation as TableInterpretation,
)
from .table import (
    interpret_table as interpret_table,
)
from .unbiased import (
    Estimate as Estimate,
)
