from .page import (
    report_page as report_page,
)
