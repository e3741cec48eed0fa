"""``python -m silvics.cli``."""

import sys

from silvics.cli.main import main

sys.exit(main())
