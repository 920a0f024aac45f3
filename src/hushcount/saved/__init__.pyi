from .files import (
    load_mechanism as load_mechanism,
)
from .files import (
    save_mechanism as save_mechanism,
)
from .saved import (
    SavedMechanism as SavedMechanism,
)
