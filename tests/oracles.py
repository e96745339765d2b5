"""Brute force. Imports nothing of the package: plain Python on whole numbers, written from the paper's
definitions.

Instances are tuples. A number feature holds whole numbers, a category feature strings. Rules are tuples
("num", f, cost, a, b, dl, du) and ("cat", f, cost, categories or None, becomes). Trees are ("leaf",
prediction) and ("node", f, test, v, left, right). With all ends whole, every interval that is reachable at
all contains a reachable whole number, reached over whole numbers: so a walk over whole numbers is exhaustive.
"""

from __future__ import annotations

import heapq
import math

WALL = 40  # values beyond this are never needed: data, thresholds and ends of rules are far smaller


def moves(z, rules):
    """Every instance one rule away, with the cost of the rule."""
    for kind, f, cost, *rest in rules:
        if kind == "cat":
            pre, becomes = rest
            if pre is None or z[f] in pre:
                yield cost, (*z[:f], becomes, *z[f + 1 :])
        else:
            a, b, dl, du = rest
            if a <= z[f] <= b:
                low, high = max(-WALL, z[f] + dl), min(WALL, z[f] + du)
                for value in range(math.ceil(low), math.floor(high) + 1):
                    yield cost, (*z[:f], value, *z[f + 1 :])


def attacks(x, rules, budget):
    """A(x), each attack with its least cost: Dijkstra over instances."""
    best, todo = {x: 0}, [(0, 0, x)]
    count = 0
    while todo:
        cost, _, z = heapq.heappop(todo)
        if cost > best[z]:
            continue
        for step, new in moves(z, rules):
            total = cost + step
            if total <= budget and total < best.get(new, math.inf):
                best[new] = total
                count += 1
                heapq.heappush(todo, (total, count, new))
    return best


def passes(z, f, test, v):
    return z[f] == v if test == "==" else z[f] <= v


def land(tree, z, path=""):
    """The path of the leaf that z falls into, and its prediction."""
    if tree[0] == "leaf":
        return path, tree[1]
    _, f, test, v, left, right = tree
    return land(left, z, path + "l") if passes(z, f, test, v) else land(right, z, path + "r")


def ell(loss, p, y):
    if loss == "sse":
        return (p - y) ** 2
    q = p if y == 1 else 1 - p
    return -math.log(q) if q > 0 else math.inf


def worst(tree, x, y, rules, budget, loss):
    """The largest loss an attacker can cause, and the paths of the leaves that cause it (within rounding)."""
    hits = {land(tree, z) for z in attacks(x, rules, budget)}
    top = max(ell(loss, p, y) for _, p in hits)
    return top, {path for path, p in hits if ell(loss, p, y) >= top - 1e-9 * max(1, top)}


def loss_under_attack(tree, X, y, rules, budget, loss, weights=None):
    w = weights or [1] * len(X)
    return sum(k * worst(tree, x, t, rules, budget, loss)[0] for x, t, k in zip(X, y, w) if k)


def plain_loss(tree, X, y, loss, weights=None):
    w = weights or [1] * len(X)
    return sum(k * ell(loss, land(tree, x)[1], t) for x, t, k in zip(X, y, w) if k)


def ternary(X, rules, budget, f, test, v):
    """Indices surely left, unknown, surely right."""
    out = ([], [], [])
    for i, x in enumerate(X):
        sides = {passes(z, f, test, v) for z in attacks(x, rules, budget)}
        out[0 if sides == {True} else 2 if sides == {False} else 1].append(i)
    return out


def sides(value, f, rules, budget, test, v):
    """Which sides of a test on feature f the attacker can bring `value` to: True is left."""
    own = [(kind, 0, *rest) for kind, g, *rest in rules if g == f]
    return frozenset(passes(z, 0, test, v) for z in attacks((value,), own, budget))


def least_stump_loss(left, unknown, right, loss):
    """The least loss under attack of a test: parts are lists of (label, weight). By a grid that closes in.

    The objective is convex, so each grid may be a box around the best point of the one before.
    """
    labels = [y for part in (left, unknown, right) for y, _ in part]
    centre, width = [(min(labels) + max(labels)) / 2] * 2, (max(labels) - min(labels)) / 2
    best = math.inf
    while width > 1e-5:
        a, b = ([c + width * k / 6 for k in range(-6, 7)] for c in centre)
        points = ((p, q) for p in a for q in b if _valid(p, q, loss))
        grid = [(_stump_loss(p, q, left, unknown, right, loss), p, q) for p, q in points]
        value, *centre = min(grid)
        best, width = min(best, value), width / 2
    return best


def _valid(p, q, loss):
    return loss != "log" or (0 <= p <= 1 and 0 <= q <= 1)


def _stump_loss(p, q, left, unknown, right, loss):
    sure = sum(w * ell(loss, p, y) for y, w in left) + sum(w * ell(loss, q, y) for y, w in right)
    return sure + sum(w * max(ell(loss, p, y), ell(loss, q, y)) for y, w in unknown)
