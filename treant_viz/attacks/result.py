"""What an attack hands back: the rewritten rows, what the model says of them, and whether that is exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.moves import Move
from treant_viz.attacks.tables import moved, some_rows


@dataclass(frozen=True, slots=True, eq=False)
class AttackResult:
    """The worst attack on each row.

    `scores` are what the model says of `X_adv` (probability of the second class, prediction, or what a
    booster's `predict` gives), `losses` their losses; `moves` are the attacker's moves, in order, that turn
    each row of X into `X_adv` at `costs`. `clean_scores` and `clean_losses` are those of X itself. No attack
    on a row does more than `upper`; where `exact`, that is its loss.
    """

    X_adv: Any
    scores: np.ndarray
    clean_scores: np.ndarray
    losses: np.ndarray
    clean_losses: np.ndarray
    costs: np.ndarray
    moves: tuple[tuple[Move, ...], ...]
    exact: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def __post_init__(self) -> None:
        for name in ("scores", "clean_scores", "losses", "clean_losses", "costs", "exact", "lower", "upper"):
            getattr(self, name).setflags(write=False)

    @property
    def rules(self) -> tuple[tuple[Move, ...], ...]:
        """The same as `moves`, which is its name now."""
        return self.moves

    def __repr__(self) -> str:
        hit, open_ = sum(map(bool, self.moves)), int((~self.exact).sum())
        loss = f"loss {self.clean_losses.sum():.6g} -> {self.losses.sum():.6g}"
        limit = f"at most {self.upper.sum():.6g}: a limit struck in {open_} rows" if open_ else "exact"
        return f"AttackResult: {len(self.losses)} rows, {hit} attacked, {loss}, {limit}"


def attack_result(
    rows: LabelledRows,
    moves: Sequence[tuple[Move, ...]],
    scores: np.ndarray,
    costs: np.ndarray,
    exact: np.ndarray,
    upper: np.ndarray,
) -> AttackResult:
    """Rewrite the rows and ask the model; `scores` are what the search promises, `upper` bounds losses."""
    X_adv = moved(rows.X, rows.form.schema, moves)
    attacked = [row for row, path in enumerate(moves) if path]
    told = _scores(rows, X_adv, attacked, scores)
    losses = rows.ell(told, rows.y)
    return AttackResult(
        X_adv=X_adv,
        scores=told,
        clean_scores=rows.unattacked,
        losses=losses,
        clean_losses=rows.ell(rows.unattacked, rows.y),
        costs=costs,
        moves=tuple(moves),
        exact=exact,
        lower=losses.copy(),
        upper=np.where(exact, losses, np.maximum(upper, losses)),
    )


def _scores(rows: LabelledRows, X_adv: Any, attacked: list[int], promised: np.ndarray) -> np.ndarray:
    """What the model itself says of the attacked rows; it must be what the search promised."""
    scores = rows.unattacked.copy()
    if attacked:
        scores[attacked] = rows.form.scores(some_rows(X_adv, attacked))
    form = rows.form
    size = abs(form.base) + form.scale * max(map(abs, form.totals()))
    wrong = np.abs(scores - promised) > (1e-7 + form.rounding * size) * (1.0 + np.abs(promised))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise RuntimeError(
            f"model: its trees add up to {promised[row]!r} in row {row}, but it says {scores[row]!r}: "
            "it cannot be attacked as it stands"
        )
    return scores


def empty_result(X: Any, y: Any) -> AttackResult:
    """The result for a table without rows."""
    if len(y):
        raise ValueError(f"y: expected no labels, because X has no rows, got {len(y)}")
    none, flags = np.zeros(0), np.zeros(0, dtype=bool)
    return AttackResult(X, none, none, none, none, none, (), flags, none, none)
