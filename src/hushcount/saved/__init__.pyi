from .chains import (
    SavedGaussianChain as SavedGaussianChain,
    SavedPointChain as SavedPointChain,
)
from .files import (
    read_mechanism as read_mechanism,
    save_mechanism as save_mechanism,
)
from .mechanism import (
    Saved as Saved,
    SavedMechanism as SavedMechanism,
)
