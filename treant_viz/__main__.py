"""`python -m treant_viz` is the command `treant-viz`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working folder: a user's html.py must not run in place of Python's own
    from treant_viz.cli.main import main

    sys.exit(main())
