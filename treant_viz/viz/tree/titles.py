"""The sentences of pictures of trees: takeaways, and how to read them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from treant_viz.core.tree import Leaf, Node, Tree, depth, nodes
from treant_viz.trace.trace import Trace
from treant_viz.viz.facts import LOSSES
from treant_viz.viz.style.text import counted, node_name, number
from treant_viz.viz.tree.card import predicate_lines
from treant_viz.viz.tree.facts import Facts, attacked


def leaf_count(n: int) -> str:
    return f"{n:,} {'leaf' if n == 1 else 'leaves'}"


def one_line(node: Node) -> str:
    return " ".join(predicate_lines(node))


def tree_title(tree: Tree) -> str:
    if isinstance(tree, Leaf):
        return f"A single leaf: {number(tree.prediction)} for every row"
    tests = sum(1 for _ in nodes(tree))
    return (
        f"The tree asks {one_line(tree)} first and ends in {leaf_count(tests + 1)} after {_most(depth(tree))}"
    )


def _most(tests: int) -> str:
    return "one test" if tests == 1 else f"at most {tests} tests"


def _losses(trace: Trace, steps: int) -> Iterator[str]:
    """The loss before and after a step, as the algorithm counts it."""
    counted_so_far = [trace.steps[0].leaf_loss, *(loss for _, loss in trace.losses())]
    return (number(counted_so_far[i]) for i in (max(steps - 1, 0), steps))


def _loss_name(trace: Trace) -> str:
    return "loss under attack" if attacked(trace) else "loss"


def trace_title(trace: Trace, steps: int) -> str:
    """Who is pushed, and what planning for it leaves of the loss."""
    first, (_, last) = number(trace.steps[0].leaf_loss), _losses(trace, steps)
    ends = 1 + sum(s.taken for s in trace.steps[:steps])
    rows = counted(len(trace.steps[0].data), "row")
    if ends == 1:
        return f"A single leaf is all that {rows} are worth: its {_loss_name(trace)} is {last}"
    if attacked(trace) and not any(len(s.split.partition.unknown) for s in _taken(trace, steps)):
        return f"{leaf_count(ends)} for {rows}, and the attacker can push none of them across a test"
    return f"From one leaf to {ends:,}, the {_loss_name(trace)} of {rows} falls from {first} to {last}"


def _taken(trace: Trace, steps: int) -> Iterator[Any]:
    return (s for s in trace.steps[:steps] if s.taken and s.split is not None)


def how_to_read(
    facts: Mapping[str, Facts], shown: set[str], hidden: set[str], show: Collection[str], loss: str = ""
) -> str:  # fmt: skip
    """The subtitle: only of what the picture shows."""
    known = [facts[p] for p in sorted(shown - hidden) if p in facts]
    flows = [f for f in (facts[p].flow for p in sorted(shown) if p in facts) if f is not None]
    phrase = []
    if any(f.unknown for f in flows):
        phrase.append("Ribbons: rows; hatched: sent by the attacker.")
    elif flows:
        phrase.append("Ribbons are as wide as the rows they carry.")
    if "feasible" in show and any(f.feasible is not None for f in known):
        phrase.append("Green: what a leaf may say; diamond: what it says.")
    if "loss" in show and loss:
        tests = any(f.split_loss is not None for f in known)
        phrase.append(f"Loss: {loss}{', before → after a test' * tests}.")
    return " ".join(phrase)


def step_title(trace: Trace, steps: int) -> str:
    step = trace.steps[steps - 1]
    where = node_name(step.path)
    head = f"Step {steps} of {len(trace)}"
    if step.split is None or not step.taken:
        return f"{head}: {where} stays a leaf ({step.reason})"
    before, after = _losses(trace, steps)
    return f"{head}: {where} asks {one_line(step.split.stump)}, {_loss_name(trace)} {before} → {after}"


__all__ = ["LOSSES", "how_to_read", "leaf_count", "one_line", "step_title", "trace_title", "tree_title"]
