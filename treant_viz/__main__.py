"""`python -m treant_viz` is the command `treant-viz`."""

import sys

from treant_viz.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
