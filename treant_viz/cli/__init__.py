"""The command `treant-viz`."""
