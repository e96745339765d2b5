"""The exact attack on a tree or an ensemble of trees: the worst the attacker can do to each row.

The way through this room, station by station, as `attack(model, X, y, attacker)` takes it:

1. **The model in common form.** `treant_viz.ensembles.common_form` turns any tree model into flat trees whose
   leaf values add up to a score. `labelled_rows.py` joins it with the rows and labels: how much a score
   hurts, and whether a row is hurt by a greater or a smaller one.
2. **Rows and cells.** A model cannot tell apart two values between neighbouring thresholds, so each feature
   falls into a few cells (`cells.py`). `cell_costs.py` says what it costs the attacker at least to bring a
   value into each cell, `moves.py` with which moves, and `reachable_leaves.py` which leaves that puts within
   reach of each row. `batch.py` does all this for many rows at a time.
3. **The search within the budget.** `all_rows.py` goes through the rows. Most need no search: nothing
   better is in reach, or there is only one tree. For the others `row_problem.py` writes down what is left to
   decide, one cell per attacked feature, and `search.py` solves it exactly: all affordable choices at once if
   they are few (`combinations.py`), else box by box (`boxes.py`; `leaf_groups.py` bounds a box, `climb.py`
   finds a good attack to begin with), or feature by feature. `limits.py` says when to stop early.
4. **The result.** `result.py` rewrites the rows with the moves found (`tables.py`), asks the model itself
   what it says of them, and returns an `AttackResult`.

How much it takes to change a prediction (`evasion.py`) is found on the same way: `decisions.py` says what the
model decides and how far its sum of leaves must move, `cheapest.py` searches with the cost as its objective.

`exhaustive.py` (the paper's plain enumeration) and `milp.py` (a mixed-integer program) find the same attacks
in other ways, for teaching and as cross-checks. `attack.py` and `evasion.py` are the front doors.
"""
