"""The paper and nothing else: what is attacked, what it costs, how a tree is grown that expects it.

Read `reference` first: all of it in one file, slow and plain. `algorithms` has the same four algorithms under
the same names; what they stand on, and where the paper's definitions are:

what the attacker may do, rules and budget            `attacker/rules`
what a value can become, and its least cost           `attacker/reach`
the same for a table; what was spent so far           `attacker/on_table`
D, the rows of a node                                 `data` (coded by `table`)
the loss; which predictions a constraint allows       `losses` (`Loss.allowed`)
who is left, right, unknown; robust splitting         `partition`
which constraints a child is given                    `constraints` (`split_constraints`)
which of them reach a candidate's leaves              `solvers/candidates` (labels 0/1), `solvers/pieces`
where a node may be split                             `solvers/thresholds`
Equation 2, the best leaves of all candidates         `solvers/binary`, `solvers/real`, `solvers/slsqp`
which candidate wins, and ties                        `solvers/stumps`
when to stop, who watches                             `options`
what comes back: Leaf and Node                        `tree`
"""
