"""explore_attack: pick a row, spend a budget, and play the attack on a tree move by move."""

from __future__ import annotations

from typing import Any, ClassVar

import ipywidgets as widgets
from traitlets import TraitError, validate

from treant_viz.attacker import Attacker
from treant_viz.explore.base import REFUSED, WIDE, Explorer
from treant_viz.explore.rows import VERDICT, Checked, RowExplorer
from treant_viz.tree import Leaf, Node
from treant_viz.viz.attack_facts import Ways
from treant_viz.viz.attack_path import AttackPathDisplay
from treant_viz.viz.attack_words import loss_said
from treant_viz.viz.text import number

WORST = "worst"


class AttackExplorer(RowExplorer):
    """State: `row`, `budget`, `leaf` ("worst", or the path of a leaf in reach whose attack is played), `step`."""

    leaf = Checked(WORST).tag(state=True)
    step = Checked(VERDICT).tag(state=True)
    _stepping: ClassVar[str] = "step"

    def __init__(
        self, model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None, after: Any = None, **state: Any
    ) -> None:
        self.after = after
        late = {k: state.pop(k) for k in ("leaf", "step") if k in state}  # checked when row and budget are known
        super().__init__(model, X, y, attacker, loss, **state | late)
        self._leaf = widgets.Dropdown(
            options=[WORST], description="attack on the leaf", style=WIDE, layout=widgets.Layout(width="28em")
        )
        self._leaf.disabled = after is not None
        steps = self._step_controls("step of the attack")
        self._offer()
        self.bind(self._leaf, "leaf")
        self._open_rows([*self._row_controls(), self._leaf], steps)

    # state

    @validate("leaf")
    def _in_reach(self, proposal: Any) -> str:
        leaf = proposal["value"]
        if leaf is None or leaf == WORST:
            return WORST
        if self.after is not None:
            raise TraitError(f"leaf: expected 'worst' with after=..., got {leaf!r}")
        near = sorted(self._ways().attacks)
        if leaf not in near:
            raise TraitError(f"leaf: expected 'worst' or the path of a leaf in reach ({near}), got {leaf!r}")
        return str(leaf)

    @validate("step")
    def _a_step(self, proposal: Any) -> int:
        return self.checked_step(proposal["value"])

    def _key(self) -> tuple[Any, ...]:
        return self.row, self.budget, self.leaf

    def _ways(self) -> Ways:
        """What the attacker can do with the row."""
        shown: Any = self._kept(self.row, self.budget, WORST)[VERDICT]
        ways: Ways = shown.scenes[0].ways
        return ways

    def _follow(self) -> None:
        self._offer()
        super()._follow()

    def _offer(self) -> None:
        """The leaves in reach; one that no longer is becomes the worst."""
        try:
            ways = self._ways()
        except REFUSED:
            return
        order = [leaf for leaf in [*ways.ranked(), ways.home] if self.after is None]
        options = [("the worst", WORST), *((_described(ways, leaf), leaf) for leaf in order)]
        chosen = self.leaf if self.leaf in order else WORST
        with self.hold_trait_notifications():
            if list(self._leaf.options) != options:
                self._leaf.options = options  # which forgets what was chosen
            self.leaf = chosen
            self._leaf.value = chosen

    # picture

    def _make(self, row: int, budget: float, leaf: str) -> AttackPathDisplay:
        A, chosen = self.attacker.with_budget(budget), None if leaf == WORST else leaf
        x, y, label = self.x(row), self.y[row], self.called(row)
        if self.after is None and not isinstance(self.model, (Leaf, Node)):
            return AttackPathDisplay.from_model(self.model, x, y, A, loss=self.loss, leaf=chosen, label=label)
        classes = getattr(self.model, "classes_", None)
        y = y if classes is None else float(list(classes).index(y))
        return AttackPathDisplay.from_tree(
            _tree(self.model), x, y, A, loss=self._own_loss, after=_tree(self.after), leaf=chosen, label=label
        )

    @property
    def _own_loss(self) -> str:
        return str(self.loss or getattr(self.model, "loss", "sse"))

    def code(self) -> str:
        x, y, more = self._given()
        leaf = "" if self.leaf == WORST else f", leaf={self.leaf!r}"
        if self.after is None:
            made = "from_tree" if isinstance(self.model, (Leaf, Node)) else "from_model"
            return self._code(f"tv.AttackPathDisplay.{made}(model, {x}, {y}, A{more}{leaf})")
        tree, after = (
            f"{n}.tree_" if hasattr(m, "tree_") else n for n, m in (("model", self.model), ("after", self.after))
        )
        if hasattr(self.model, "classes_"):
            y = f"float(list(model.classes_).index({y}))"
        more = more if self.loss is not None else f"{more}, loss={self._own_loss!r}"
        return self._code(f"tv.AttackPathDisplay.from_tree({tree}, {x}, {y}, A{more}, after={after})")


def _described(ways: Ways, leaf: str) -> str:
    """A leaf in the list: where it is, what it predicts, what it does and costs."""
    cost = "home" if leaf == ways.home else f"cost {number(ways.attacks[leaf].cost)}"
    return f"{leaf or 'root'}: prediction {number(ways.predictions[leaf], 4)}, loss {loss_said(ways, leaf)}, {cost}"


def _tree(model: Any) -> Any:
    return getattr(model, "tree_", model)


def explore_attack(
    model: Any, X: Any, y: Any, attacker: Attacker, *, after: Any = None, loss: str | None = None, **state: Any
) -> Explorer:
    """Play the attack on one row of a tree: which leaves are in reach, what they cost, what they do.

    `model`: a fitted tree of ours or of scikit-learn, or a bare tree (Leaf or Node); a forest or a booster is handed to
    `explore_forest`. `after`: the same tree (ours, or bare) after one more split: is attack invariance kept?
    `loss`: "sse" or "log"; None is the model's own. State to begin with: `row`, `budget`, `leaf` ("worst", or the path
    of a leaf in reach), `step` (so many moves of the attack are shown; -1 or None is the verdict).
    """
    if not isinstance(model, (Leaf, Node)) and not hasattr(model, "tree_"):
        from treant_viz.explore.forest import explore_forest

        if after is not None:
            raise TypeError(f"after: expected None with {type(model).__name__}, as only single trees are compared")
        return explore_forest(model, X, y, attacker, loss=loss, **state)
    for what, t in (("model", model), ("after", after)):
        if after is not None and not isinstance(_tree(t), (Leaf, Node)):
            raise TypeError(
                f"{what}: expected a tree of ours (Leaf, Node or fitted) with after=..., got {type(t).__name__}"
            )
    return AttackExplorer(model, X, y, attacker, loss, after, **state)


__all__ = ["AttackExplorer", "explore_attack"]
