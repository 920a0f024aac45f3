from .billed import (
    BilledPlan as BilledPlan,
)
from .carried_out import (
    Published as Published,
)
from .plan import (
    Plan as Plan,
    read_plan as read_plan,
)
