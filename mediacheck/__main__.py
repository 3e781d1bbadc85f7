"""``python -m mediacheck``."""

import sys

from mediacheck.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
