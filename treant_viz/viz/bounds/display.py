"""Bounds: the search for the worst attack on one row, with the branches that it never had to look into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treant_viz.attacks.search_record import record_search
from treant_viz.core.attacker.rules import Attacker
from treant_viz.viz.attack_path.facts import label_of
from treant_viz.viz.attack_path.rows import shown_row
from treant_viz.viz.bounds.draw import LINES, draw, nothing
from treant_viz.viz.bounds.facts import SearchTree, most_informative_search
from treant_viz.viz.display import Display
from treant_viz.viz.forest_votes.facts import label_text
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import counted, feature_name, name, names, number, value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundsDisplay(Display):
    """One row under attack: the branch and bound over the cells of its features, as the package does it.

    >>> import treant_viz as tv
    >>> wine = tv.load_wine()
    >>> X, y = wine.X_train[:300], wine.y_train[:300]
    >>> attacker = wine.attacker.with_budget(60)
    >>> forest = tv.TreantForestClassifier(7, max_depth=4, random_state=0).fit(X, y)
    >>> display = tv.BoundsDisplay.from_model(forest, X, y, attacker)
    >>> display.title
    'To find the worst of 10 cases for row 58, 7 tries are enough: bounds rule out 3'
    """

    label: str
    truth: str
    budget: float
    tree: SearchTree | None
    looked: int = 1

    @classmethod
    def from_model(
        cls,
        model: Any,
        x: Any,
        y: Any,
        attacker: Attacker,
        *,
        loss: str | None = None,
        label: str | None = None,
    ) -> BoundsDisplay:
        """The search for the worst attack on a row x with the label y, on a model of trees.

        `model` and `loss` are those of `attack`. `x`: a mapping, a Series or a table of one row; or a table
        with a label for each row: of those whose search tries and skips
        some, the one hurt most is shown.
        `label`: what the row is called; None is its name in the data.
        """
        if not isinstance(attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker, got {type(attacker).__name__}")
        looked = [0]

        def pick(X: Any, y: Any) -> int:
            place, looked[0] = most_informative_search(model, X, y, attacker, loss, LINES)
            return place

        row, its = shown_row(x, y, pick)
        record = record_search(model, row, its, attacker, loss)
        text = name(label_of(row) if label is None else label, 20)
        tree = None if record is None else SearchTree(record)
        return cls(text, label_text(its), float(attacker.budget), tree, max(looked[0], 1))

    @property
    def title(self) -> str:
        """How many combinations were looked at, and who saved the others."""
        if self.tree is None:
            money = number(self.budget)
            if self.looked > 1:
                return f"Nothing that {money} can pay for hurts any of {self.looked} rows: there is no search"
            return f"Nothing that {money} can pay for hurts {self.label}: there is no search"
        r = self.tree.record
        every, cut = f"{counted(r.affordable, 'case')} for {self.label}", r.affordable - r.visited
        if not cut:
            return f"All {every} are tried: no bound rules any of them out"
        if not r.visited:
            return f"Without a single try: none of {every} is worse than the row as it is"
        enough = "1 try is" if r.visited == 1 else f"{r.visited:,} tries are"
        return f"To find the worst of {every}, {enough} enough: bounds rule out {cut:,}"

    @property
    def subtitle(self) -> str:
        if self.tree is None:
            return "Of all leaves that the attacker can reach, every tree already stands in the worst one."
        folded = " Branches off the worst way are folded." * self.tree.folded(LINES)
        return (
            "A bar is as far as a choice could possibly get; if that is not past the worst found, what is "
            f"behind it is skipped. Coins are prices; {number(self.budget)} may be spent.{folded}"
        )

    @property
    def alt_text(self) -> str:
        if self.tree is None:
            return f"{self.title}. The picture holds nothing else than this sentence about the row."
        r = self.tree.record
        called = names([feature_name(f) for f in r.features])
        cuts = ", ".join(
            f"{n:,} after {called[feature_name(f)]}"
            for f, n in zip(r.features, self.tree.cut_by_level, strict=True)
            if n
        )
        scores = [number(r.score(v)) for v in (r.unattacked, r.root_bound, r.solution.value)]
        words = [
            f"A search tree for {self.label}, budget {number(self.budget)}; features in the order "
            f"{', '.join(called[feature_name(f)] for f in r.features)}.",
            f"The score is {scores[0]} without an attack, the bound at the root {scores[1]}, the worst "
            f"attack {scores[2]} for {number(r.solution.cost)}.",
            f"Of {r.affordable:,} combinations within the budget ({r.combinations:,} in all) {r.visited:,} "
            f"are visited, {r.affordable - r.visited:,} are cut: {cuts or 'none'}.",
        ]
        if way := self._way():
            words.append(f"The best way found: {way}.")
        if r.again:
            words.append(f"A second search for a cheaper attack as good looks at {r.again:,} more.")
        return " ".join(words)

    def _way(self) -> str:
        """What the best attack of the tree changes."""
        assert self.tree is not None
        r = self.tree.record
        chosen = [o[k] for o, k in zip(r.options, r.found, strict=True)]
        return ", ".join(
            f"{feature_name(f)} → {value(o.after) if isinstance(o.after, float) else name(o.after, 20)} "
            f"for {number(o.cost)}"
            for f, o in zip(r.features, chosen, strict=True)
            if o.cost
        )

    def _draw(self, pen: Pen, target: Target) -> None:
        if self.tree is None:
            nothing(self.label if self.looked == 1 else f"any of {self.looked} rows", pen, target)
        else:
            draw(self.tree, self.label, self.truth, pen, target)


__all__ = ["BoundsDisplay"]
