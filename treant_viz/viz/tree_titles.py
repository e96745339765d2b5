"""The takeaways of pictures of trees."""

from __future__ import annotations

from collections.abc import Iterator

from treant_viz.trace import Trace
from treant_viz.tree import Leaf, Node, Tree, depth, nodes
from treant_viz.viz.card import counted, said_test
from treant_viz.viz.text import number
from treant_viz.viz.tree_facts import attacked


def leaf_count(n: int) -> str:
    return f"{n} {'leaf' if n == 1 else 'leaves'}"


def one_line(node: Node) -> str:
    return " ".join(said_test(node))


def tree_title(tree: Tree) -> str:
    if isinstance(tree, Leaf):
        return f"A single leaf: {number(tree.prediction, 4)} for every row"
    tests = sum(1 for _ in nodes(tree))
    return f"The tree asks {one_line(tree)} first and ends in {leaf_count(tests + 1)} after {_most(depth(tree))}"


def _most(tests: int) -> str:
    return "one test" if tests == 1 else f"at most {tests} tests"


def _losses(trace: Trace, steps: int) -> Iterator[str]:
    """The loss before and after a step, as the algorithm counts it."""
    counted_so_far = [trace.steps[0].leaf_loss, *(loss for _, loss in trace.losses())]
    return (number(counted_so_far[i], 4) for i in (max(steps - 1, 0), steps))


def _loss_name(trace: Trace) -> str:
    return "loss under attack" if attacked(trace) else "loss"


def trace_title(trace: Trace, steps: int) -> str:
    first, (_, last) = number(trace.steps[0].leaf_loss, 4), _losses(trace, steps)
    ends = 1 + sum(s.taken for s in trace.steps[:steps])
    rows = counted(len(trace.steps[0].data), "row")
    return f"Grown on {rows} to {leaf_count(ends)}, the {_loss_name(trace)} falls from {first} to {last}"


def step_title(trace: Trace, steps: int) -> str:
    step = trace.steps[steps - 1]
    where = f"node {step.path}" if step.path else "the root"
    head = f"Step {steps} of {len(trace)}"
    if step.split is None or not step.taken:
        return f"{head}: {where} stays a leaf ({step.reason})"
    before, after = _losses(trace, steps)
    return f"{head}: {where} asks {one_line(step.split.stump)}, {_loss_name(trace)} {before} → {after}"


__all__ = ["leaf_count", "one_line", "step_title", "trace_title", "tree_title"]
