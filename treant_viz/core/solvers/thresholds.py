"""Where a node may be split: at values of its rows (the paper, and `splits` of `reference`), or wherever its
ternary partition changes.

If nobody attacks, the values of the rows are thresholds enough: between two of them nothing changes. Under
attack the partition changes elsewhere too. A row that can reach all of [low, high], for what is left of the
budget, is

    surely right of x_f <= v   as long as  v < low,
    unknown                    as long as  low <= v < high,
    surely left                from        high <= v  on.

Both ends are closed on the side of the test, so low and high themselves are the thresholds at which something
changes, and thresholds="reachable" offers them all. Constraints change a candidate in the same way: those
whose rows can come to its left bind the left leaf, those whose rows can come to its right the right one. So
their ends are offered too. Between two neighbours of what is offered there is no other partition, no
other set of constraints, and so no better pair of leaves: nothing is lost by looking nowhere else.

Thresholds outside the data's range are left out: with all rows and constraints at home on one side, that
side's leaf is a leaf that the node could have had. The same holds for categories that neither a row nor a
constraint has. (With retest="all" one kind of threshold is left out, too: just above the lower end of a box.)

On the toy, p <= -4 (x1's upper end) leaves nobody unknown. It costs 3.7, like the two tests that tie for the
root; but grown to the end the tree then comes to 2.0, where values of the data alone come to 2.5.
"""

from __future__ import annotations

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable, Shifted
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data


def turning_points(D: Data, A: AttackerOnTable, C: Constraints) -> np.ndarray:
    """The bins (as a mask over all features') at which a row of D or a constraint of C changes sides."""
    S = D.sample
    offered = np.zeros(S.offset[-1], dtype=bool)
    for rows, spent_id in ((D.rows, D.spent_id), (C.row, C.spent_id)):
        codes = S.table.codes.take(rows, axis=0)
        offered[codes + S.offset[:-1]] = True
        for f in np.flatnonzero(A.attacked):
            reach = D.reach(A, int(f))
            if isinstance(reach, Shifted):
                ends = reach.ends(codes[:, f], spent_id, A.budgets_left)
                offered[ends[ends < len(S.table.values[f])] + S.offset[f]] = True
    return offered
