"""The paper's four algorithms, and nothing else.

D         training data at a node (rows, and what was spent to bring them here)
A         the attacker (R, K), bound to the data
C         constraints on the loss of instances that could come here
f, v      a feature and a threshold (as codes of the table): the test x_f <= v
y_l, y_r  predictions of the left and the right leaf of a stump
N         candidate stumps sigma(f, v, y_l, y_r), each with its best y_l, y_r and its loss
how       loss, solver, stopping rules, observer (see `growth`)
path      where we are: "" is the root, "l" its left child, ...
"""

from __future__ import annotations

from treant_viz.bound import BoundAttacker
from treant_viz.constraints import Constraints, split_constraints
from treant_viz.growth import Event, Growth, Split, node
from treant_viz.partition import Data, children, fork, goes_left
from treant_viz.stumps import Stumps
from treant_viz.tree import Leaf, Tree


def build_tree(D: Data, how: Growth, path: str = "") -> Tree:
    """Algorithm 1 (BuildTree)."""
    nobody, free = BoundAttacker(None, D.sample.table), Constraints.none()
    y, leaf_loss = how.solver.best_leaf(D, free, how.loss)  # line 2
    t, N = best_split(D, how, path)  # line 3
    better = how.better(t, leaf_loss)
    how.observe(Event(path, D, nobody, free, y, leaf_loss, N, t, better is not None))
    if better:  # line 4
        t_l = build_tree(better.D_l, how, path + "l")  # line 5
        t_r = build_tree(better.D_r, how, path + "r")  # line 6
        return node(D, better, t_l, t_r)  # line 7
    return Leaf(y, leaf_loss, len(D))  # line 9


def best_split(D: Data, how: Growth, path: str = "") -> tuple[Split | None, Stumps | None]:
    """Algorithm 2 (BestSplit). No split at all: None."""
    if how.stops(D, path):
        return None, None
    nobody, free = BoundAttacker(None, D.sample.table), Constraints.none()
    N = how.solver.best_stumps(D, nobody, free, how.loss, how.features(D))  # line 2
    i = N.best()  # line 3
    if i is None:
        return None, N
    f, v = int(N.tally.feature[i]), int(N.tally.code[i])
    branches = fork(D, nobody, f, v)
    D_l, D_r = children(D, nobody, f, v, branches, branches.left_by_nature)  # lines 4-5
    y_l, y_r, loss = float(N.y_l[i]), float(N.y_r[i]), float(N.loss[i])
    return Split(f, v, y_l, y_r, loss, branches, branches.left_by_nature, D_l, D_r, free, free), N


def treant(D: Data, A: BoundAttacker, C: Constraints, how: Growth, path: str = "") -> Tree:
    """Algorithm 3 (Treant)."""
    y, leaf_loss = how.solver.best_leaf(D, C, how.loss)  # line 2
    t, N = tsplit(D, A, C, how, path)  # line 3
    better = how.better(t, leaf_loss)
    how.observe(Event(path, D, A, C, y, leaf_loss, N, t, better is not None))
    if better:  # line 4
        t_l = treant(better.D_l, A, better.C_l, how, path + "l")  # line 5
        t_r = treant(better.D_r, A, better.C_r, how, path + "r")  # line 6
        return node(D, better, t_l, t_r)  # line 7
    return Leaf(y, leaf_loss, len(D))  # line 9


def tsplit(
    D: Data, A: BoundAttacker, C: Constraints, how: Growth, path: str = ""
) -> tuple[Split | None, Stumps | None]:
    """Algorithm 4 (TSplit). No split at all: None."""
    if how.stops(D, path):
        return None, None
    N = how.solver.best_stumps(D, A, C, how.loss, how.features(D))  # line 2
    i = N.best()  # line 3
    if i is None:
        return None, N
    f, v = int(N.tally.feature[i]), int(N.tally.code[i])
    y_l, y_r, loss = float(N.y_l[i]), float(N.y_r[i]), float(N.loss[i])
    branches = fork(D, A, f, v)
    left = goes_left(branches, how.loss, D.y, y_l, y_r)
    D_l, D_r = children(D, A, f, v, branches, left)  # lines 4-5
    C_l = C_r = Constraints.none()
    if how.attack_invariance:
        C_l, C_r = split_constraints(D, A, C, how.loss, f, v, y_l, y_r, branches, left, path)  # lines 6-7
    return Split(f, v, y_l, y_r, loss, branches, left, D_l, D_r, C_l, C_r), N
