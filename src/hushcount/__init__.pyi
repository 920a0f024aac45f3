"""What `hushcount` offers, by where it is: read by editors, by type checkers, and to load each name on first use."""

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
    BudgetClosed as BudgetClosed,
    BudgetExceeded as BudgetExceeded,
    HushcountError as HushcountError,
    InvalidParameter as InvalidParameter,
    LedgerUnusable as LedgerUnusable,
    NoSuchColumn as NoSuchColumn,
    PredicateRefused as PredicateRefused,
    SolverFailed as SolverFailed,
    TooLarge as TooLarge,
)
from .figures import (
    MediumCurve as MediumCurve,
    medium_curve as medium_curve,
    plot_errors as plot_errors,
    plot_mechanism as plot_mechanism,
    plot_medium as plot_medium,
    plot_privacy_profile as plot_privacy_profile,
    plot_rows as plot_rows,
    plot_shared_entries as plot_shared_entries,
    plot_sweep as plot_sweep,
    plot_tradeoff as plot_tradeoff,
    read_sweep as read_sweep,
    save_figure as save_figure,
)
from .files import (
    read_matrix as read_matrix,
    read_samples as read_samples,
)
from .inputs import (
    grid_values as grid_values,
)
from .ledger import (
    Basis as Basis,
    Budget as Budget,
    Charge as Charge,
    Ledger as Ledger,
    LedgerVerdict as LedgerVerdict,
    ListedSource as ListedSource,
    Verification as Verification,
    add_source as add_source,
    create_budget as create_budget,
)
from .mechanisms import (
    Mechanism as Mechanism,
    canonical as canonical,
    clamped_canonical_noise as clamped_canonical_noise,
    clamped_gaussian as clamped_gaussian,
    explicit_fair as explicit_fair,
    exponential as exponential,
    folded_geometric as folded_geometric,
    from_matrix as from_matrix,
    nearest as nearest,
    randomized_response as randomized_response,
    redrawn_geometric as redrawn_geometric,
    truncated_geometric as truncated_geometric,
    uniform as uniform,
)
from .medium import (
    Bound as Bound,
    LosslessVerdict as LosslessVerdict,
    Losslessness as Losslessness,
    MeasuredMedium as MeasuredMedium,
    Medium as Medium,
    MediumOptimum as MediumOptimum,
    Threshold as Threshold,
    binary_erasure as binary_erasure,
    binary_symmetric as binary_symmetric,
    bounds as bounds,
    fsk as fsk,
    is_lossless as is_lossless,
    largest_lossless_epsilon as largest_lossless_epsilon,
    medium_from_counts as medium_from_counts,
    medium_from_matrix as medium_from_matrix,
    optimum as optimum,
    pam as pam,
    psk as psk,
    qam as qam,
    read_counts as read_counts,
    read_medium as read_medium,
    required_snr as required_snr,
    rounding as rounding,
    symmetric_channel as symmetric_channel,
    z_channel as z_channel,
)
from .numbers import (
    Interval as Interval,
)
from .optimal_set import (
    Design as Design,
    Membership as Membership,
    MembershipVerdict as MembershipVerdict,
    OptimalSet as OptimalSet,
    Propagation as Propagation,
    RankVerdict as RankVerdict,
    design as design,
    four_outcome_optimum as four_outcome_optimum,
    four_outcome_ranges as four_outcome_ranges,
    propagate as propagate,
    three_outcome_determinant as three_outcome_determinant,
    three_outcome_optimum as three_outcome_optimum,
    three_outcome_range as three_outcome_range,
)
from .paper import (
    PaperReport as PaperReport,
    PaperVerdict as PaperVerdict,
    check_paper as check_paper,
)
from .privacy import (
    Audit as Audit,
    ComparisonRow as ComparisonRow,
    Composition as Composition,
    CompositionBasis as CompositionBasis,
    Finding as Finding,
    Holding as Holding,
    ProfilePoint as ProfilePoint,
    Properties as Properties,
    SampleAudit as SampleAudit,
    SampleVerdict as SampleVerdict,
    Verdict as Verdict,
    Witness as Witness,
    audit as audit,
    audit_samples as audit_samples,
    compare as compare,
    compose as compose,
    properties as properties,
)
from .promise import (
    Adjacency as Adjacency,
    EpsilonDelta as EpsilonDelta,
)
from .reading import (
    CellReading as CellReading,
    CellSets as CellSets,
    Estimate as Estimate,
    Histogram as Histogram,
    Interpretation as Interpretation,
    NoInverse as NoInverse,
    Posterior as Posterior,
    TableInterpretation as TableInterpretation,
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
    SavedMechanism as SavedMechanism,
    load_mechanism as load_mechanism,
    save_mechanism as save_mechanism,
)
from .sweeps import (
    MechanismRow as MechanismRow,
    MediumRow as MediumRow,
    sweep as sweep,
)
