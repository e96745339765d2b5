"""The toy example as one HTML file: a hand-out that needs no kernel, no network and no installation.

Every picture was drawn when the file was made; sliders and buttons choose between them.
"""

from __future__ import annotations

from collections.abc import Sequence

from treant_viz.datasets import load_toy
from treant_viz.experiments.toy import toy_display, toy_panels, toy_trace
from treant_viz.viz.attack_path.display import AttackPathDisplay
from treant_viz.viz.leaf_constraints.display import ConstraintsDisplay
from treant_viz.viz.output.page import document, figure, stepper
from treant_viz.viz.style.palette import LIGHT, Palette
from treant_viz.viz.style.text import for_html, number
from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay
from treant_viz.viz.tree.display import TreeDisplay

BUDGETS = (0, 1, 2, 3, 4, 6, 8)
TITLE = "TREANT on seven instances: trees that plan for the attacker"
STORY = {
    "overview": (
        "The whole story in five panels",
        "Seven instances with two features, p and q. The attacker may change p by up to 1, once, "
        "at cost 1. L is the "
        "loss if nobody attacks, L^A the loss under attack. Before you read on: in (b), whom "
        "would you attack?",
    ),
    "budget": (
        "Who owns whom: drag the budget",
        "The bar of an instance is what the attacker can make of its value of p. A bar that "
        "crosses the line is the "
        "attacker's: U, unknown. How large must the budget be before they own half of the instances?",
    ),
    "growth": (
        "How the robust tree grows",
        "One step at a time. At every test the rows are split in three: surely left (L), surely "
        "right (R), up to the "
        "attacker (U). The loss under attack never grows.",
    ),
    "attack": (
        "Why leaves need constraints",
        "Without constraints, growing the right leaf gives the attacker of x2 something better "
        "to do: the plan was "
        "wrong. Step through their move, before and after.",
    ),
    "constraints": (
        "What the constraints forbid",
        "x2 must not lose less on the right than at home: its loss there has to stay at 2.25 or "
        "more. So 1 is "
        "forbidden, and 1.5 is the nearest legal value.",
    ),
}


def handout(palette: Palette = LIGHT) -> str:
    """The page."""
    bodies = {
        "overview": figure(toy_display(), "overview-", palette),
        "budget": _budgets(palette),
        "growth": stepper(_growth(), "growth", palette),
        "attack": stepper(_invariance().frames(), "attack", palette),
        "constraints": figure(_constraints(), "constraints-", palette),
    }
    body = "".join(_section(*STORY[name], html) for name, html in bodies.items())
    return document(TITLE, body, palette, heading=True)


def _section(heading: str, words: str, body: str) -> str:
    return f"<h2>{for_html(heading)}</h2>\n<p>{for_html(words)}</p>\n{body}"


def _budgets(palette: Palette) -> str:
    """The root's test under every budget."""
    toy = load_toy()
    traces = [toy_trace(attacker=toy.attacker.with_budget(k)) for k in BUDGETS]
    shown = [TernaryPartitionDisplay.from_trace(t, "", "p", 1.0) for t in traces]
    return stepper(shown, "budget", palette, what="budget", labels=[f"Budget {number(k)}" for k in BUDGETS])


def _growth() -> Sequence[TreeDisplay]:
    return TreeDisplay.from_trace(toy_trace(attacker=load_toy().attacker)).frames()  # type: ignore[return-value]


def _invariance() -> AttackPathDisplay:
    toy = load_toy()
    trees = {p.name: p.tree for p in toy_panels()}
    return AttackPathDisplay.from_tree(trees["(c)"], toy.X.loc["x2"], 0.0, toy.attacker, after=trees["(d)"])


def _constraints() -> ConstraintsDisplay:
    names = dict(enumerate(load_toy().X.index))
    return ConstraintsDisplay.from_trace(toy_trace(attacker=load_toy().attacker), path="r", names=names)


__all__ = ["handout"]
