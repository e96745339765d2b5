"""explore_attack: pick a row, spend a budget, and play the attack on a tree move by move."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from traitlets import TraitError, TraitType, validate

from treant_viz.attacks.leaf_attacks import LeafAttacks
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import Leaf, Node, Tree
from treant_viz.live.explore.base import as_many_as_fit
from treant_viz.live.explore.row_explorer import (
    VERDICT,
    RowExplorer,
    a_budget,
    a_step,
    finite,
    labelled,
    made_from,
    most_coins,
)  # fmt: skip
from treant_viz.viz.attack_path.display import AttackPathDisplay, number_of
from treant_viz.viz.attack_path.facts import replaced_leaf, tree_of
from treant_viz.viz.attack_path.live_facts import AttackedTree, NamedRows, attack_facts
from treant_viz.viz.attack_path.words import label_text
from treant_viz.viz.display import Display

WORST = "worst"
LISTED = 1000  # rows that the picture knows by name; the kernel is asked for others


class AttackExplorer(RowExplorer):
    """State: `row`, `budget`, `leaf` ("worst", or the path of a leaf in reach whose attack is played), `step`
    (the number of its moves that are made; -1 is the verdict).
    """

    picture = "attack"
    leaf: Any = TraitType(WORST).tag(state=True)
    step: Any = TraitType(VERDICT).tag(state=True)

    def __init__(
        self, model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None, after: Any, **state: Any
    ) -> None:
        self.model, self.after, self.attacker, self.loss = model, after, finite(attacker), loss
        self.X, self.y, self._label = labelled(X, y)
        self.classes = getattr(model, "classes_", None)
        self.numbers = np.array([number_of(v, self.classes) for v in self.y])
        self.trees = [_bare(t) for t in (model, after) if t is not None]
        self.replaced = None if after is None else replaced_leaf(*self.trees)
        budget = a_budget(state.pop("budget", None), attacker.budget)
        self.top = most_coins(attacker, budget)
        self._made = lru_cache(maxsize=32)(self._make)
        self._work_out()
        row = state.pop("row", None)
        late = {k: state.pop(k) for k in ("leaf", "step") if k in state}  # checked when the row is known
        super().__init__(row=self._most_changed() if row is None else row, budget=budget, **state)
        for trait, value in late.items():
            self.set_trait(trait, value)
        self.observe(self._follow, names=["row", "budget", "leaf"])
        self._open()

    # what is worked out

    def _work_out(self) -> None:
        """All attacks within the greatest budget, on one tree or on two."""
        A = self.attacker.with_budget(self.top)
        self.attacks = [LeafAttacks(t, self.X, self.numbers, A, self.loss_name) for t in self.trees]
        first, K = self.attacks[0], self.attacker.budget
        with np.errstate(invalid="ignore"):
            gained = np.nan_to_num(first.worst(K) - first.unattacked, nan=0.0, posinf=math.inf)
        self._order = np.argsort(-gained, kind="stable").tolist()
        self._more: list[int] = []

    @property
    def loss_name(self) -> str:
        """The loss that counts: the one asked for, else the one that the model was trained with."""
        learnt_with = getattr(self.model, "loss", None)
        return str(self.loss or learnt_with or ("sse" if self.classes is None else "log"))

    def _most_changed(self) -> int:
        """The row whose score the attack changes most; where none is hurt, that which it could change."""
        a, K = self.attacks[0], self.attacker.budget
        unattacked = a.predictions[a.home]
        change = np.abs(a.predictions[a.leaf[a.best(K)]] - unattacked)
        if not change.any():
            moved = np.where(a.cost <= K, np.abs(a.predictions[a.leaf] - unattacked[a.row]), 0.0)
            change = np.maximum.reduceat(moved, a.start[:-1])
        return int(np.argmax(change))

    def _pairs(self) -> dict[str, int]:
        """By path: the place of each attack on the present row within the budget."""
        a, K = self.attacks[0], self.budget * (1 + 1e-9)
        return {a.ends[a.leaf[p]][0]: p for p in a.pairs(self.row) if a.cost[p] <= K}

    @property
    def moves(self) -> int:
        """How many moves the attack that is shown has; of two attacks, the longer one."""
        return len(self._verdict().frames()) - 2

    def _verdict(self) -> AttackPathDisplay:
        return self._made(self.row, self.budget, self.leaf)

    def _follow(self, change: Any) -> None:
        """Another attack: a leaf out of reach becomes the worst, a step that it does not have the verdict."""
        if self.budget > self.top:
            self.top = self.budget
            self._work_out()
            self._send(self.facts())
        if self.row not in self.sent["rows"]["at"]:
            self._more.append(self.row)
            self._send(self.facts())
        if self.leaf != WORST and self.leaf not in self._pairs():
            self.leaf = WORST
        if self.step > self.moves:
            self.step = VERDICT

    # what the browser is given

    def facts(self) -> dict[str, Any]:
        return self._facts(LISTED)

    def _facts(self, count: int) -> dict[str, Any]:
        """The rows that lose most, and those that were asked for."""
        asked = [r for r in dict.fromkeys([self.row, *self._more]) if r not in self._order[:count]]
        at = [*self._order[:count], *asked]
        headings = ("before", "after one more split") if self.after is not None else ("",)
        scenes = [AttackedTree(a, heading) for a, heading in zip(self.attacks, headings, strict=True)]
        values = self.attacks[0].values
        labels = [label_text(v if self.classes is None else self.classes[int(v)]) for v in values]
        rows = NamedRows(at, [self.named(r) for r in at], labels)
        return attack_facts(scenes, rows, self.loss_name, self.attacker.budget, self.replaced)

    def page_facts(self) -> dict[str, Any]:
        """As many rows as a page should hold, those that lose most first."""
        return as_many_as_fit(self._facts, min(LISTED, len(self._order)))[0]

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """All attacks on one more row."""
        self._more.append(self.asked_row(question))
        return self.facts()

    # what is refused

    @validate("leaf")
    def _in_reach(self, proposal: Any) -> str:
        leaf = proposal["value"]
        if leaf is None or leaf == WORST:
            return WORST
        if self.after is not None:
            raise TraitError(f"leaf: expected 'worst' with after=..., got {leaf!r}")
        near = sorted(self._pairs())
        if leaf not in near:
            raise TraitError(f"leaf: expected 'worst' or the path of a leaf in reach ({near}), got {leaf!r}")
        return str(leaf)

    @validate("step")
    def _a_step(self, proposal: Any) -> int:
        return a_step("step", proposal["value"], self.moves)

    # what it leaves behind

    @property
    def display(self) -> Display:
        shown = self._verdict()
        return shown if self.step == VERDICT else shown.frames()[self.step]

    def _make(self, row: int, budget: float, leaf: str) -> AttackPathDisplay:
        x = self.X.iloc[[row]] if isinstance(self.X, pd.DataFrame) else self.X[row]
        A, chosen = self.attacker.with_budget(budget), None if leaf == WORST else leaf
        after = self.trees[1] if self.after is not None else None
        options: dict[str, Any] = {"loss": self.loss_name, "after": after, "leaf": chosen}
        y, label = float(self.numbers[row]), self.named(row)
        return AttackPathDisplay.from_tree(self.trees[0], x, y, A, label=label, **options)

    def code(self) -> str:
        y, end = self._label.format(self.row), "" if self.leaf == WORST else f", leaf={self.leaf!r}"
        end += "" if isinstance(self.X, pd.DataFrame) else f", label={self.named(self.row)!r}"
        loss = self.loss_name if self.loss or self.after is not None else None
        end += "" if loss is None else f", loss={loss!r}"
        made, model = "from_model", "model"
        if self.after is not None or isinstance(self.model, (Leaf, Node)):
            made, model = "from_tree", "model.tree_" if hasattr(self.model, "tree_") else "model"
            if self.classes is not None:
                y = f"float(list(model.classes_).index({y}))"
        if self.after is not None:
            end += ", after=after.tree_" if hasattr(self.after, "tree_") else ", after=after"
        frame = "" if self.step == VERDICT else f".frames()[{self.step}]"
        return (
            "# model, X, y, attacker: your model, rows, labels and attacker\n"
            f"A = attacker.with_budget({self.budget!r})\n"
            f"tv.AttackPathDisplay.{made}({model}, {self.row_as_code}, {y}, A{end}){frame}"
        )


def _bare(model: Any) -> Tree:
    return model if isinstance(model, (Leaf, Node)) else tree_of(model)


def explore_attack(
    model: Any,
    X: Any,
    y: Any,
    attacker: Attacker,
    *,
    after: Any = None,
    loss: str | None = None,
    **state: Any,
) -> Any:
    """Play the attack on a row of a tree: which leaves are in reach, what they cost, what they do.

    `model`: a fitted tree of ours or of scikit-learn, or a bare tree (Leaf or Node); a forest or a booster is
    handed to `explore_forest`. `after`: the same tree (ours, or bare) after one more split: is attack
    invariance kept? `loss`: "sse" or "log"; None is the model's own. State to begin with: `row`, `budget`,
    `leaf` ("worst", or the path of a leaf in reach), `step` (how many moves of the attack are shown; -1 or
    None is the verdict).
    """
    if not isinstance(model, (Leaf, Node)) and not hasattr(model, "tree_"):
        from treant_viz.live.explore.forest import explore_forest

        if after is not None:
            raise TypeError(
                f"after: expected None with {type(model).__name__}, as only single trees are compared"
            )
        return explore_forest(model, X, y, attacker, loss=loss, **state)
    for what, t in (("model", model), ("after", after)):
        if after is not None and not isinstance(getattr(t, "tree_", t), (Leaf, Node)):
            given = type(t).__name__
            raise TypeError(
                f"{what}: expected a tree of ours (Leaf, Node or fitted) with after=..., got {given}"
            )
    return AttackExplorer(model, X, y, attacker, loss, after, **state)


def of_display(display: AttackPathDisplay) -> AttackExplorer:
    """The live sister of a picture of one row."""
    return AttackExplorer(step=display.step, **made_from(display))


__all__ = ["AttackExplorer", "explore_attack", "of_display"]
