from .auditing import (
    Audit as Audit,
)
from .auditing import (
    ProfilePoint as ProfilePoint,
)
from .auditing import (
    audit as audit,
)
from .comparison import (
    ComparisonRow as ComparisonRow,
)
from .comparison import (
    compare as compare,
)
from .composition import (
    Composition as Composition,
)
from .composition import (
    CompositionBasis as CompositionBasis,
)
from .composition import (
    compose as compose,
)
from .findings import (
    Finding as Finding,
)
from .findings import (
    Verdict as Verdict,
)
from .findings import (
    Witness as Witness,
)
from .matrix_properties import (
    Holding as Holding,
)
from .matrix_properties import (
    Properties as Properties,
)
from .matrix_properties import (
    properties as properties,
)
from .samples import (
    SampleAudit as SampleAudit,
)
from .samples import (
    SampleVerdict as SampleVerdict,
)
from .samples import (
    audit_samples as audit_samples,
)
