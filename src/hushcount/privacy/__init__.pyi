from .audit_result import Audit as Audit, ProfilePoint as ProfilePoint
from .auditing import (
    audit as audit,
)
from .comparison.comparison import (
    Comparison as Comparison,
    compare as compare,
)
from .comparison.row import ComparisonRow as ComparisonRow
from .composition import (
    Basis as Basis,
    Composition as Composition,
    compose as compose,
)
from .findings import (
    AuditVerdict as AuditVerdict,
    Finding as Finding,
    Interval as Interval,
    Witness as Witness,
)
from .matrix_properties import (
    Holding as Holding,
    Properties as Properties,
    properties as properties,
)
from .mu.audit_result import MuAudit as MuAudit
from .sample_result import SampleAudit as SampleAudit, SampleVerdict as SampleVerdict
from .samples import (
    audit_samples as audit_samples,
)
