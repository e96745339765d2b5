"""The paper's four algorithms, and nothing else.

`reference` has the same four in plain Python, under the same names; here they stand on fast parts. First how
a node is split (Algorithms 2 and 4), then the recursions (Algorithms 3 and 1), which share their lines.

D         training data at a node: rows, and what the attacker has spent to bring each of them here
A         the attacker (R, K), on the table of the data
C         constraints on the loss of instances that can come here
f, v      a feature and a threshold (a code of the table): the test x_f <= v
y_l, y_r  predictions of the left and the right leaf of a stump
N         the candidate stumps sigma(f, v, y_l, y_r), each with its best y_l, y_r and its loss
t         the best of them, with the data and the constraints of both children: a `Split`
options   loss, solver, stopping rules, observer: one record (see `options`)
path      where we are: "" is the root, "l" its left child, "lr" the right child of that, ...
"""

from __future__ import annotations

from collections.abc import Callable

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.attacker.rules import NO_ATTACKER
from treant_viz.core.constraints import Constraints, split_constraints
from treant_viz.core.data import Data
from treant_viz.core.options import Event, Options, Split, node
from treant_viz.core.partition import robust_split
from treant_viz.core.solvers.stumps import Stumps
from treant_viz.core.tree import Leaf, Tree

Splitter = Callable[[Data, AttackerOnTable, Constraints, Options, str], tuple[Split | None, Stumps]]


def best_split(
    D: Data, A: AttackerOnTable, C: Constraints, options: Options, path: str = ""
) -> tuple[Split | None, Stumps]:
    """Algorithm 2 (BestSplit): A can do nothing and C asks for nothing. No split at all: None."""
    N = options.solver.best_stumps(D, A, C, options.loss, options.features(D))  # line 2
    stump = N.best()  # line 3
    if stump is None:
        return None, N
    robust = robust_split(D, A, stump, options.loss)  # lines 4-5: nobody is unknown, so D_l is {x_f <= v}
    return Split(stump, robust, C, C), N


def tsplit(
    D: Data, A: AttackerOnTable, C: Constraints, options: Options, path: str = ""
) -> tuple[Split | None, Stumps]:
    """Algorithm 4 (TSplit). No split at all: None."""
    N = options.solver.best_stumps(D, A, C, options.loss, options.features(D))  # line 2
    stump = N.best()  # line 3
    if stump is None:
        return None, N
    robust = robust_split(D, A, stump, options.loss)  # lines 4-5: D_l and D_r
    C_l = C_r = Constraints.none()
    if options.attack_invariance:
        C_l, C_r = split_constraints(D, A, C, stump, robust, options.loss, path)  # lines 6-7
    return Split(stump, robust, C_l, C_r), N


def treant(
    D: Data, A: AttackerOnTable, C: Constraints, options: Options, path: str = "", split: Splitter = tsplit
) -> Tree:
    """Algorithm 3 (Treant); with another `split` than TSplit, the learner that splits like that."""
    y, leaf_loss = options.solver.best_leaf(D, C, options.loss)  # line 2
    t, N = (None, None) if options.stops(D, path) else split(D, A, C, options, path)  # line 3
    gains = options.gains(t, leaf_loss)
    event = Event(path=path, D=D, A=A, C=C, leaf=y, leaf_loss=leaf_loss, stumps=N, split=t, taken=gains)
    options.observe(event)
    if t is not None and gains:  # line 4
        t_l = treant(t.D_l, A, t.C_l, options, path + "l", split)  # line 5
        t_r = treant(t.D_r, A, t.C_r, options, path + "r", split)  # line 6
        return node(D, t.stump, t_l, t_r)  # line 7
    return Leaf(y, leaf_loss, len(D))  # line 9


def build_tree(D: Data, options: Options) -> Tree:
    """Algorithm 1 (BuildTree): line by line Algorithm 3, with BestSplit in line 3 and nobody who attacks."""
    A, C = AttackerOnTable(NO_ATTACKER, D.sample.table), Constraints.none()
    return treant(D, A, C, options, split=best_split)
