"""What `hushcount` offers: what is typed daily, and the topics through which the rest is reached.

Read by editors and type checkers, and to load each name on first use.
"""

from . import (
    counting as counting,
    drawing as drawing,
    errors as errors,
    figures as figures,
    files as files,
    ledger as ledger,
    mechanisms as mechanisms,
    medium as medium,
    optimal_set as optimal_set,
    paper as paper,
    plan as plan,
    privacy as privacy,
    promise as promise,
    reading as reading,
    release as release,
    report as report,
    saved as saved,
    sweeps as sweeps,
)
from ._version import (
    __version__ as __version__,
)
from .counting import (
    ReadOptions as ReadOptions,
)
from .drawing import (
    simulate as simulate,
)
from .errors import (
    BadData as BadData,
    BadUse as BadUse,
    BudgetExceeded as BudgetExceeded,
    HushcountError as HushcountError,
)
from .files import (
    read_matrix as read_matrix,
    read_samples as read_samples,
)
from .ledger import (
    Ledger as Ledger,
    add_source as add_source,
    create_budget as create_budget,
)
from .mechanisms import (
    Mechanism as Mechanism,
    canonical as canonical,
    epsilon_for as epsilon_for,
    from_matrix as from_matrix,
    mu_for as mu_for,
    nearest as nearest,
)
from .optimal_set import (
    design as design,
)
from .paper import (
    check_paper as check_paper,
)
from .privacy import (
    audit as audit,
    audit_samples as audit_samples,
    compare as compare,
    compose as compose,
)
from .promise import (
    Adjacency as Adjacency,
    EpsilonDelta as EpsilonDelta,
)
from .reading import (
    interpret as interpret,
    interpret_table as interpret_table,
)
from .release import (
    Receipt as Receipt,
    Session as Session,
    TableReceipt as TableReceipt,
    release_count as release_count,
    release_table as release_table,
    round_trip as round_trip,
)
from .saved import (
    read_mechanism as read_mechanism,
    save_mechanism as save_mechanism,
)
from .sweeps import (
    sweep as sweep,
)
