from .answers import (
    AtLeast as AtLeast,
    at_least as at_least,
)
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
from .publication import (
    Publication as Publication,
    Published as Published,
)
from .table import (
    Histogram as Histogram,
    TableInterpretation as TableInterpretation,
)
from .threshold import (
    ThresholdTest as ThresholdTest,
)
from .together import (
    interpret_table as interpret_table,
)
from .unbiased import (
    Estimate as Estimate,
)
