"""`python -m hushcount` is the command `hushcount`."""

from __future__ import annotations

import sys

from hushcount.cli import main

if __name__ == "__main__":
    sys.exit(main())
