"""The toy example as one HTML file: a hand-out that needs no kernel, no network and no installation.

Its pictures are live: facts of every state and the code that draws them are inside, once.
"""

from __future__ import annotations

from typing import Any

from treant_viz import live
from treant_viz.course.overview import STYLE, overview
from treant_viz.datasets import load_toy
from treant_viz.experiments.toy import toy_display, toy_panels, toy_trace
from treant_viz.live.page import document, place
from treant_viz.viz.style.palette import DARK, LIGHT, Palette
from treant_viz.viz.style.text import for_html

BUDGETS = (1.0, 8.0)  # at which the picture of the budget opens, and up to which it goes
TITLE = "TREANT on seven instances: trees that plan for the attacker"
STORY = {
    "overview": (
        "The whole story in five panels",
        "Seven instances with two features, p and q. The attacker may change p by up to 1, once, at cost "
        "1. L is the loss if nobody attacks, Lᴬ the loss under attack. Before you read on: in (b), whom "
        "would you attack?",
    ),
    "budget": (
        "Who decides for whom: click the coins, drag the line",
        "The bar of an instance is what the attacker can make of its value of p. A bar that crosses the "
        "line is the attacker's: U, unknown. How large must the budget be before they decide for half of "
        "the instances? The leaves can be planned in three ways: “standard” as if nobody attacked, “four "
        "cases” for the worst of four guesses at what the attacker does (nothing; all unknown instances "
        "go left; all go right; all swap sides), “robust” for the worst that they can really do, instance"
        " by instance.",
    ),
    "growth": (
        "How the robust tree grows",
        "One step at a time. At every test the rows are split in three: surely left (L), surely right "
        "(R), up to the attacker (U). The loss under attack never grows.",
    ),
    "attack": (
        "Why leaves need constraints",
        "The stump p ≤ 1 has planned for this: the attacker pays 1 and pushes x2 to the right. Click the "
        "coin to take the move back, and again to make it. Now grow the right leaf without constraints "
        "(“after one more split”): pushed, x2 would lose only 1, so the attacker leaves it at home, and "
        "the plan was wrong. Click other leaves and other instances: whose plan still holds?",
    ),
    "constraints": (
        "What the constraints forbid",
        "x2 must not lose less on the right than at home: its loss there has to stay at 2.25 or more. So "
        "1 is forbidden, and 1.5 is the nearest legal value. Drag the diamond: what can the attacker "
        "cause then?",
    ),
}
_STYLE = """
:root { color-scheme: light dark; } :root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
body { margin: 0; padding: 1rem; background: light-dark(%s, %s); color: light-dark(%s, %s);
  font: 1.1rem/1.5 "Treant Sans", system-ui, sans-serif; }
main { max-width: 80rem; margin: 0 auto; } main > p { max-width: 46rem; } h2 { margin: 3rem 0 0; }
figure { margin: 0 0 1.5rem; } figure > svg { display: block; width: 100%%; height: auto; }
#theme { float: right; font: inherit; color: inherit; background: none; border: 2px solid; border-radius: 2em;
  padding: 0.1em 0.9em; cursor: pointer; }
:is(summary, #theme):focus-visible { outline: 3px solid; outline-offset: 2px; }
[hidden] { display: none !important; }
"""
_BUTTON = '<button type="button" id="theme" hidden></button>'
_THEME = """
const root = document.documentElement, button = document.getElementById("theme");
const system = matchMedia("(prefers-color-scheme: dark)");
const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
const show = () => { button.textContent = dark() ? "Light colours" : "Dark colours"; };
button.onclick = () => { root.dataset.theme = dark() ? "light" : "dark"; show(); };
system.onchange = show;
button.hidden = false;
show();
"""


def handout(palette: Palette | None = None) -> str:
    """The page, in the colours that the reader's system prefers, or a palette's; a button changes them."""
    pictures = explorers()
    bodies = {"overview": overview(toy_display())}
    bodies |= {name: place(name, f"<p>{for_html(ex.display.alt_text)}</p>") for name, ex in pictures.items()}
    sections = "".join(_section(*STORY[name], html) for name, html in bodies.items())
    body = f"<main>\n{_BUTTON}\n<h1>{for_html(TITLE)}</h1>\n{sections}</main>"
    given = {name: explorer.given() for name, explorer in pictures.items()}
    colours = (LIGHT.background, DARK.background, LIGHT.ink, DARK.ink)
    begin = "" if palette is None else f'document.documentElement.dataset.theme = "{palette.name}";'
    return document(TITLE, body, given, _STYLE % colours + STYLE, more=begin + _THEME)


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
