"""hushcount: private counts that are always possible answers, and wrong as rarely as any private mechanism can be.

Names are loaded on first use, so that `import hushcount` costs little more than numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hushcount._version import __version__

if TYPE_CHECKING:
    from hushcount.comparison import (
        ComparisonRow,
        compare,
    )
    from hushcount.counting import (
        Adjacency,
        ReadOptions,
    )
    from hushcount.errors import (
        BadData,
        BadUse,
        HushcountError,
        InvalidParameter,
        NoSuchColumn,
        PredicateRefused,
        SolverFailed,
        TooLarge,
    )
    from hushcount.mechanisms import (
        Mechanism,
        SavedMechanism,
        canonical,
        clamped_canonical_noise,
        clamped_gaussian,
        explicit_fair,
        exponential,
        folded_geometric,
        from_matrix,
        nearest,
        randomized_response,
        redrawn_geometric,
        truncated_geometric,
        uniform,
    )
    from hushcount.optimal_set import (
        Design,
        Membership,
        MembershipVerdict,
        OptimalSet,
        Propagation,
        RankVerdict,
        design,
        four_outcome_optimum,
        four_outcome_ranges,
        propagate,
        three_outcome_determinant,
        three_outcome_optimum,
        three_outcome_range,
    )
    from hushcount.privacy import (
        Audit,
        Composition,
        CompositionBasis,
        Finding,
        Holding,
        Interval,
        ProfilePoint,
        Properties,
        SampleAudit,
        SampleVerdict,
        Verdict,
        Witness,
        audit,
        audit_samples,
        compose,
        load_mechanism,
        properties,
        read_matrix,
        read_samples,
        save_mechanism,
    )
    from hushcount.release.count import (
        release_count,
    )
    from hushcount.release.receipt import (
        Receipt,
    )
    from hushcount.simulation import (
        simulate,
    )
    from hushcount.tradeoff import (
        EpsilonDelta,
    )

_HOMES = {
    "hushcount.comparison": (
        "ComparisonRow",
        "compare",
    ),
    "hushcount.counting": (
        "Adjacency",
        "ReadOptions",
    ),
    "hushcount.errors": (
        "BadData",
        "BadUse",
        "HushcountError",
        "InvalidParameter",
        "NoSuchColumn",
        "PredicateRefused",
        "SolverFailed",
        "TooLarge",
    ),
    "hushcount.mechanisms": (
        "Mechanism",
        "SavedMechanism",
        "canonical",
        "clamped_canonical_noise",
        "clamped_gaussian",
        "explicit_fair",
        "exponential",
        "folded_geometric",
        "from_matrix",
        "nearest",
        "randomized_response",
        "redrawn_geometric",
        "truncated_geometric",
        "uniform",
    ),
    "hushcount.optimal_set": (
        "Design",
        "Membership",
        "MembershipVerdict",
        "OptimalSet",
        "Propagation",
        "RankVerdict",
        "design",
        "four_outcome_optimum",
        "four_outcome_ranges",
        "propagate",
        "three_outcome_determinant",
        "three_outcome_optimum",
        "three_outcome_range",
    ),
    "hushcount.privacy": (
        "Audit",
        "Composition",
        "CompositionBasis",
        "Finding",
        "Holding",
        "Interval",
        "ProfilePoint",
        "Properties",
        "SampleAudit",
        "SampleVerdict",
        "Verdict",
        "Witness",
        "audit",
        "audit_samples",
        "compose",
        "load_mechanism",
        "properties",
        "read_matrix",
        "read_samples",
        "save_mechanism",
    ),
    "hushcount.release.count": ("release_count",),
    "hushcount.release.receipt": ("Receipt",),
    "hushcount.simulation": ("simulate",),
    "hushcount.tradeoff": ("EpsilonDelta",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Adjacency",
    "Audit",
    "BadData",
    "BadUse",
    "ComparisonRow",
    "Composition",
    "CompositionBasis",
    "Design",
    "EpsilonDelta",
    "Finding",
    "Holding",
    "HushcountError",
    "Interval",
    "InvalidParameter",
    "Mechanism",
    "Membership",
    "MembershipVerdict",
    "NoSuchColumn",
    "OptimalSet",
    "PredicateRefused",
    "ProfilePoint",
    "Propagation",
    "Properties",
    "RankVerdict",
    "ReadOptions",
    "Receipt",
    "SampleAudit",
    "SampleVerdict",
    "SavedMechanism",
    "SolverFailed",
    "TooLarge",
    "Verdict",
    "Witness",
    "__version__",
    "audit",
    "audit_samples",
    "canonical",
    "clamped_canonical_noise",
    "clamped_gaussian",
    "compare",
    "compose",
    "design",
    "explicit_fair",
    "exponential",
    "folded_geometric",
    "four_outcome_optimum",
    "four_outcome_ranges",
    "from_matrix",
    "load_mechanism",
    "nearest",
    "propagate",
    "properties",
    "randomized_response",
    "read_matrix",
    "read_samples",
    "redrawn_geometric",
    "release_count",
    "save_mechanism",
    "simulate",
    "three_outcome_determinant",
    "three_outcome_optimum",
    "three_outcome_range",
    "truncated_geometric",
    "uniform",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
