from .files import (
    read_mechanism as read_mechanism,
    save_mechanism as save_mechanism,
)
from .saved import (
    SavedMechanism as SavedMechanism,
)
