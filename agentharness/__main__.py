"""`python -m agentharness`."""

import sys

from agentharness.cli.main import main

sys.exit(main())
