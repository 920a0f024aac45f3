"""Privacy as it is, not as it is claimed: audits of matrices, mechanisms and samples, properties, composition."""

from hushcount.privacy.audit import Audit, ProfilePoint, audit
from hushcount.privacy.composition import Composition, CompositionBasis, compose
from hushcount.privacy.findings import Finding, Interval, Verdict, Witness
from hushcount.privacy.mechanism_files import load_mechanism, save_mechanism
from hushcount.privacy.properties import Holding, Properties, properties
from hushcount.privacy.samples import SampleAudit, SampleVerdict, audit_samples
from hushcount.privacy.tables import read_matrix, read_samples

__all__ = [
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
]
