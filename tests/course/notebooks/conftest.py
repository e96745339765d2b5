"""`offline` is for the path of other processes: imported here, it would cut this one off."""

collect_ignore = ["offline"]
