from .number_tables import (
    read_matrix as read_matrix,
)
from .number_tables import (
    read_samples as read_samples,
)
