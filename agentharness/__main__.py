"""`python -m agentharness`."""

import sys

try:
    from agentharness.cli.main import main

    sys.exit(main())
except KeyboardInterrupt:  # before `main` could answer for it
    sys.exit(130)
