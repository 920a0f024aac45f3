"""What `hushcount` offers, by where it is: read by editors, by type checkers, and to load each name on first use."""

from ._version import (
    __version__ as __version__,
)
from .comparison import (
    ComparisonRow as ComparisonRow,
    compare as compare,
)
from .counting import (
    Adjacency as Adjacency,
    ReadOptions as ReadOptions,
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
    SavedMechanism as SavedMechanism,
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
from .mechanisms.inverse import (
    NoInverse as NoInverse,
)
from .medium import (
    Bound as Bound,
    Losslessness as Losslessness,
    LosslessVerdict as LosslessVerdict,
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
    Composition as Composition,
    CompositionBasis as CompositionBasis,
    Finding as Finding,
    Holding as Holding,
    Interval as Interval,
    ProfilePoint as ProfilePoint,
    Properties as Properties,
    SampleAudit as SampleAudit,
    SampleVerdict as SampleVerdict,
    Verdict as Verdict,
    Witness as Witness,
    audit as audit,
    audit_samples as audit_samples,
    compose as compose,
    load_mechanism as load_mechanism,
    properties as properties,
    read_matrix as read_matrix,
    read_samples as read_samples,
    save_mechanism as save_mechanism,
)
from .release.count import (
    release_count as release_count,
)
from .release.interpret import (
    Interpretation as Interpretation,
    interpret as interpret,
)
from .release.interpret_cells import (
    CellReading as CellReading,
    CellSets as CellSets,
)
from .release.interpret_table import (
    Histogram as Histogram,
    TableInterpretation as TableInterpretation,
    interpret_table as interpret_table,
)
from .release.posterior import (
    Posterior as Posterior,
)
from .release.receipt import (
    Receipt as Receipt,
)
from .release.round_trip import (
    round_trip as round_trip,
)
from .release.session import (
    Session as Session,
)
from .release.table import (
    release_table as release_table,
)
from .release.table_receipt import (
    TableReceipt as TableReceipt,
)
from .release.unbiased import (
    Estimate as Estimate,
)
from .simulation import (
    simulate as simulate,
)
from .sweeps import (
    MechanismRow as MechanismRow,
    MediumRow as MediumRow,
    grid_values as grid_values,
    sweep as sweep,
)
from .tradeoff import (
    EpsilonDelta as EpsilonDelta,
)
