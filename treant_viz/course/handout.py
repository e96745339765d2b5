"""The toy example as one HTML file: a hand-out that needs no kernel, no network and no installation.

Its pictures are live: facts of every state and the code that draws them are inside, once.
"""

from __future__ import annotations

from typing import Any

from treant_viz import live
from treant_viz.datasets import load_toy
from treant_viz.experiments.toy import toy_display, toy_panels, toy_trace
from treant_viz.live.page import document, place
from treant_viz.viz.output.page import figure, style
from treant_viz.viz.style.palette import LIGHT, Palette
from treant_viz.viz.style.text import for_html

BUDGETS = (1.0, 8.0)  # at which the picture of the budget opens, and up to which it goes
TITLE = "TREANT on seven instances: trees that plan for the attacker"
STORY = {
    "overview": (
        "The whole story in five panels",
        "Seven instances with two features, p and q. The attacker may change p by up to 1, once, "
        "at cost 1. L is the "
        "loss if nobody attacks, Lᴬ the loss under attack. Before you read on: in (b), whom "
        "would you attack?",
    ),
    "budget": (
        "Who decides for whom: click the coins, drag the line",
        "The bar of an instance is what the attacker can make of its value of p. A bar that "
        "crosses the line is the "
        "attacker's: U, unknown. How large must the budget be before they decide for half of the instances?",
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
        "wrong. Step through their move, before and after. Click on other instances: whose plan holds?",
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
    pictures = explorers()
    bodies = {"overview": figure(toy_display(), "overview-", palette)}
    bodies |= {name: place(name, f"<p>{for_html(ex.display.alt_text)}</p>") for name, ex in pictures.items()}
    sections = "".join(_section(*STORY[name], html) for name, html in bodies.items())
    body = f"<main>\n<h1>{for_html(TITLE)}</h1>\n{sections}</main>"
    given = {name: explorer.given() for name, explorer in pictures.items()}
    return document(TITLE, body, given, style(palette), palette.name)


def explorers() -> dict[str, Any]:
    """The live pictures, by section of the page."""
    toy, trace = load_toy(), toy_trace(attacker=load_toy().attacker)
    trees = {p.name: p.tree for p in toy_panels()}
    begin, top = BUDGETS
    budget = live.explore_split(toy, feature="p", threshold=1.0, budget=top)
    budget.budget = begin
    attack = live.explore_attack(
        trees["(c)"], toy.X, toy.y, toy.attacker, after=trees["(d)"], row=2, loss="sse"
    )
    return {
        "budget": budget,
        "growth": live.explore_growth(trace),
        "attack": attack,
        "constraints": live.explore_constraints(trace, path="r"),
    }


def _section(heading: str, words: str, body: str) -> str:
    return f"<h2>{for_html(heading)}</h2>\n<p>{for_html(words)}</p>\n{body}"


__all__ = ["explorers", "handout"]
