from .cells import (
    CellReading as CellReading,
    CellSets as CellSets,
)
from .count import (
    Interpretation as Interpretation,
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
    TableInterpretation as TableInterpretation,
)
from .together import (
    interpret_table as interpret_table,
)
from .unbiased import (
    Estimate as Estimate,
)
