from .number_tables import (
    read_matrix as read_matrix,
    read_samples as read_samples,
)
