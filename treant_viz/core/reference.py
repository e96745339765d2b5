"""The paper in one file: exact, slow, plain Python. Read this first; the rest of `core` makes it fast.

A        the attacker (R, K): rewriting rules and a budget
D        the training data at a node: instances (x, y)_k, where k is what was spent to bring x here
C        the constraints at a node: bounds on the loss of instances that could come here
f, v     a feature and a threshold: the test x_f <= v (of a category, which is text: x_f == v)
y_l, y_r the predictions of the left and the right leaf of a stump sigma(f, v, y_l, y_r)
ell      the loss of one instance; L is its sum over D, and L^A the same when the attacker does their worst
N        the candidate stumps of a node, each with its best y_l, y_r
t        a stump; a grown tree is Leaf(y), the paper's lambda(y), or Node(f, v, t_l, t_r), the paper's sigma
S        what the constraints leave open to a prediction: closed intervals (low, high)

>>> from treant_viz.core.attacker.rules import Rule
>>> X, y = [(-7, 1), (-5, 2), (1, 3), (3, 3), (3, 4), (3, 4), (3, 4)], [-2, -1, 0, 2, 2, 2, 2]
>>> t = grow(X, y, Attacker([Rule(0, cost=1, delta=(-1, 1))], budget=1), max_depth=1)
>>> t.predicate, t.left.prediction, t.right.prediction
('x[0] <= 1', -1.5, 1.6)
"""

import heapq
from collections import namedtuple
from collections.abc import Iterator
from functools import cache
from math import inf, isclose, log
from statistics import fmean
from typing import Any

from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import Leaf, Node, Tree

Datum = namedtuple("Datum", "x y k")  # (x, y)_k; x[f] is the value of feature f
LossBound = namedtuple("LossBound", "x y k sense at")  # ell(t(x), y) <= gamma, or >=; gamma is ell(at, y)
Sigma = namedtuple("Sigma", "f v y_l y_r loss")  # a stump, with its loss under attack
Options = namedtuple("Options", "loss features corrupted max_depth min_samples_split")
Data = list[Datum]
Bounds = list[LossBound]
Piece = tuple[float, float]
NO_ATTACKER = Attacker([], budget=0)
TOLERANCE, ROUNDING = 1e-9, 1e-12  # losses this close are equal: of two stumps, of two points of one stump


@cache
def reachable(A: Attacker, f: Any, x_f: Any) -> list[tuple[float, Any, Any]]:
    """Definition "Attacks", one feature: (cost, low, high) if `cost` turns x_f into all of [low, high].

    A rule touches one feature, so costs add up over features. Chains of rules move whole intervals, so the
    ends of every rule on the feature count, and none is overlooked. A category c is the interval [c, c].
    """
    found: list[tuple[float, Any, Any]] = []
    todo = [(0.0, x_f, x_f)]
    while todo:
        cost, low, high = heapq.heappop(todo)  # the cheapest first
        if not any(a <= low and high <= b for _, a, b in found):
            found.append((cost, low, high))
            for r in (r for r in A.rules_on(f) if cost + r.cost <= A.limit):
                if r.categorical and (r.pre is None or low in r.pre):
                    heapq.heappush(todo, (cost + r.cost, r.becomes, r.becomes))
                elif not r.categorical and low <= r.pre.high and r.pre.low <= high:
                    new = max(low, r.pre.low) + r.delta.low, min(high, r.pre.high) + r.delta.high
                    heapq.heappush(todo, (cost + r.cost, *new))
    return found


def passes(x_f: Any, v: Any) -> bool:
    """The test of a node: does x go left?"""
    return x_f == v if isinstance(v, str) else x_f <= v


def costs(A: Attacker, f: Any, v: Any, i: Datum | LossBound) -> tuple[float, float]:
    """Section "Tree Learning Algorithm": the k of i once it is left, or right, of the test; inf: never."""
    left = min((c for c, low, _ in reachable(A, f, i.x[f]) if passes(low, v)), default=inf)
    right = min((c for c, _, high in reachable(A, f, i.x[f]) if not passes(high, v)), default=inf)
    return i.k + left if i.k + left <= A.limit else inf, i.k + right if i.k + right <= A.limit else inf


def ell(p: float, y: float, loss: str) -> float:
    """Section "Supervised Learning": the loss of predicting p for y. Each kind grows with |p - y|."""
    if loss != "log":
        return (p - y) ** 2
    return -log(1 - abs(p - y)) if abs(p - y) < 1 else inf


def common(S: list[Piece], T: list[Piece]) -> list[Piece]:
    """The intersection of two unions of intervals."""
    return sorted({(max(a, c), min(b, d)) for a, b in S for c, d in T if max(a, c) <= min(b, d)})


def feasible(C: Bounds, loss: str) -> list[Piece]:
    """Section "Attack Invariance", "subject to C": all predictions that satisfy C. There may be gaps."""
    S = [(-inf, inf) if loss == "real sse" else (0.0, 1.0)]
    for c in C:
        near, far = sorted((c.at, 2 * c.y - c.at))  # as far from y as `at` is: the loss is gamma
        S = common(S, [(near, far)] if c.sense == "<=" else [(-inf, near), (far, inf)])
    return S


def best_leaf(labels: list[float], S: list[Piece]) -> float:
    """Algorithms 1 and 3, line 2: for every ell, the point of S nearest to the mean (the lower of two)."""
    mean = fmean(labels)
    return min((min(max(mean, low), high) for low, high in S), key=lambda y: abs(y - mean))


def ternary_partition(D: Data, A: Attacker, f: Any, v: Any) -> tuple[Data, Data, Data]:
    """Definition "Ternary Partitioning": D_l, D_r, D_u (of the robust split: capital D_L, D_R)."""
    k = [costs(A, f, v, i) for i in D]
    D_l, D_r = ([i for i, cost in zip(D, k, strict=True) if cost[side] == inf] for side in (1, 0))
    return D_l, D_r, [i for i, cost in zip(D, k, strict=True) if max(cost) < inf]


def best_stump(D: Data, A: Attacker, C: Bounds, f: Any, v: Any, loss: str) -> Sigma:
    """Equation 2: the y_l, y_r that minimise the loss under attack of the test (f, v), subject to C."""
    L, R, U = (sorted(i.y for i in part) for part in ternary_partition(D, A, f, v))
    S_l, S_r = (feasible([c for c in C if costs(A, f, v, c)[side] < inf], loss) for side in (0, 1))
    if U:
        points = {point for P in S_l for Q in S_r for point in optima(L, R, U, P, Q)}
    else:  # each leaf for itself
        points = {(best_leaf(L or R, S_l), best_leaf(R or L, S_r))}
    N = []
    for y_l, y_r in sorted(points, key=lambda point: (point[0] > point[1], point)):
        sure = sum(ell(y_l, y, loss) for y in L) + sum(ell(y_r, y, loss) for y in R)
        unsure = sum(max(ell(y_l, y, loss), ell(y_r, y, loss)) for y in U)
        N.append(Sigma(f, v, y_l, y_r, sure + unsure))
    least = min(t.loss for t in N)
    return next(t for t in N if t.loss <= least + ROUNDING * (1 + least))


def optima(L: list[float], R: list[float], U: list[float], P: Piece, Q: Piece) -> Iterator[Piece]:
    """Points (y_l, y_r) of the box P x Q, one of which is the optimum of Equation 2.

    Labels above the middle (y_l + y_r) / 2 are hurt more by the lower leaf, the others by the higher: so the
    attacker cuts the sorted U in two. The optimum is that of one cut, or lies where cuts cost the same: on
    y_l = y_r, or where a label u is the middle. There y_r is y_l or its mirror image 2u - y_l.
    """
    for S in common([P], [Q]):
        yield (best_leaf(L + R + U, [S]),) * 2
    for j in range(len(U) + 1):
        for left, right in ((L + U[j:], R + U[:j]), (L + U[:j], R + U[j:])):
            yield best_leaf(left or right, [P]), best_leaf(right or left, [Q])
            for u in U[j : j + 1]:
                for S in common([P], [(2 * u - Q[1], 2 * u - Q[0])]):
                    y_l = best_leaf(left + [2 * u - y for y in right], [S])
                    yield y_l, best_leaf([2 * u - y_l], [Q])


def harm(i: Datum, t: Sigma, loss: str) -> float:
    """How much more y_l hurts than y_r; 0 if both hurt the same."""
    on_l, on_r = ell(t.y_l, i.y, loss), ell(t.y_r, i.y, loss)
    return 0.0 if isclose(on_l, on_r, rel_tol=ROUNDING, abs_tol=ROUNDING) else on_l - on_r


def robust_split(D: Data, A: Attacker, t: Sigma, loss: str) -> tuple[Data, Data]:
    """Definition "Robust Splitting": D_L and D_R, with the least cost of getting there as the new k."""
    sides: tuple[Data, Data] = ([], [])
    for i in D:
        k = costs(A, t.f, t.v, i)
        worse = harm(i, t, loss) or (1 if passes(i.x[t.f], t.v) else -1)  # both the same: i is not attacked
        side = 0 if k[1] == inf or (k[0] < inf and worse > 0) else 1
        sides[side].append(i._replace(k=k[side]))
    return sides


def split_constraints(D: Data, A: Attacker, C: Bounds, t: Sigma, loss: str) -> tuple[Bounds, Bounds]:
    """Definition "Constraints Propagation and Generation": C_L, C_R; k: the cost of getting to that child."""
    C_L = [c._replace(k=left) for c in C if (left := costs(A, t.f, t.v, c)[0]) < inf]
    C_R = [c._replace(k=right) for c in C if (right := costs(A, t.f, t.v, c)[1]) < inf]
    for i in ternary_partition(D, A, t.f, t.v)[2]:
        (left, right), worse = costs(A, t.f, t.v, i), harm(i, t, loss)
        sense_l, sense_r = (">=", "<=") if robust_split([i], A, t, loss)[0] else ("<=", ">=")
        at_l = t.y_r if worse > 0 else t.y_l  # gamma: the smaller loss; if equal, each keeps its y
        at_r = t.y_l if worse < 0 else t.y_r
        C_L.append(LossBound(i.x, i.y, left, sense_l, at_l))
        C_R.append(LossBound(i.x, i.y, right, sense_r, at_r))
    return C_L, C_R


def splits(D: Data, options: Options, path: tuple) -> list[tuple[Any, Any]]:
    """Algorithms 2 and 4, line 2: f, v with x_f = v for some x in D; what is corrupted once on a path."""
    features = [f for f in options.features if not (f in path and f in options.corrupted)]
    stops = len(path) >= options.max_depth or len(D) < options.min_samples_split
    return [] if stops else [(f, v) for f in features for v in sorted({i.x[f] for i in D})]


def argmin(N: list[Sigma], D: Data, A: Attacker, loss: str) -> Sigma | None:
    """Algorithms 2 and 4, line 3: the least loss of all that part D; if equal, the first f, then v."""
    N = [t for t in N if t.loss < inf and all(robust_split(D, A, t, loss))]
    most = max((t.loss for t in N), default=inf)
    return next((t for t in N if t.loss <= min(t.loss for t in N) + TOLERANCE * most), None)


def tsplit(D: Data, A: Attacker, C: Bounds, options: Options, path: tuple) -> tuple:
    """Algorithm 4 (TSplit)."""
    N = [best_stump(D, A, C, f, v, options.loss) for f, v in splits(D, options, path)]  # line 2
    t = argmin(N, D, A, options.loss)  # line 3
    D_l, D_r = robust_split(D, A, t, options.loss) if t else ([], [])  # lines 4-5
    C_l, C_r = split_constraints(D, A, C, t, options.loss) if t else ([], [])  # lines 6-7
    return t, D_l, D_r, C_l, C_r  # line 8


def treant(D: Data, A: Attacker, C: Bounds, options: Options, path: tuple = ()) -> Tree:
    """Algorithm 3 (Treant)."""
    y = best_leaf([i.y for i in D], feasible(C, options.loss))  # line 2
    t, D_l, D_r, C_l, C_r = tsplit(D, A, C, options, path)  # line 3
    if t and t.loss < sum(ell(y, i.y, options.loss) for i in D) * (1 - TOLERANCE):  # line 4
        t_l = treant(D_l, A, C_l, options, (*path, t.f))  # line 5
        t_r = treant(D_r, A, C_r, options, (*path, t.f))  # line 6
        return Node(t.f, t.v, t_l, t_r)  # line 7
    return Leaf(y)  # line 9


def build_tree(D: Data, options: Options, path: tuple = ()) -> Tree:
    """Algorithm 1 (BuildTree)."""
    y = best_leaf([i.y for i in D], feasible([], options.loss))  # line 2
    t, D_l, D_r = best_split(D, options, path)  # line 3
    if t and t.loss < sum(ell(y, i.y, options.loss) for i in D) * (1 - TOLERANCE):  # line 4
        t_l = build_tree(D_l, options, (*path, t.f))  # line 5
        t_r = build_tree(D_r, options, (*path, t.f))  # line 6
        return Node(t.f, t.v, t_l, t_r)  # line 7
    return Leaf(y)  # line 9


def best_split(D: Data, options: Options, path: tuple) -> tuple:
    """Algorithm 2 (BestSplit)."""
    N = [best_stump(D, NO_ATTACKER, [], f, v, options.loss) for f, v in splits(D, options, path)]  # line 2
    t = argmin(N, D, NO_ATTACKER, options.loss)  # line 3
    D_l = [i for i in D if t and passes(i.x[t.f], t.v)]  # line 4
    D_r = [i for i in D if t and not passes(i.x[t.f], t.v)]  # line 5
    return t, D_l, D_r  # line 6


def grow(
    X: Any, y: Any, attacker: Any, loss: str = "sse", max_depth: int = 8, min_samples_split: int = 2
) -> Tree:
    """A tree for rows X (lists, or a DataFrame; text is categories), labels y, and an Attacker or None.

    Losses: "log" and "binary sse" are for labels 0/1, and predict between 0 and 1, as TreantClassifier does;
    "real sse" is TreantRegressor's; "sse" is binary if all labels are 0 or 1.
    """
    rows = X.to_dict("records") if hasattr(X, "to_dict") else [dict(enumerate(x)) for x in X]
    D = [Datum(x, float(label), 0.0) for x, label in zip(rows, y, strict=True)]
    fits = ("binary sse", "real sse", "log") if {i.y for i in D} <= {0, 1} else ("real sse",)
    loss = fits[0] if loss == "sse" else loss
    if loss not in fits:
        raise ValueError(f"loss: expected 'sse' or one of {fits} for these labels, got {loss!r}")
    A = attacker or NO_ATTACKER
    if A.budget == inf or any(r.once for r in A.rules) or not {*A.features} <= {*rows[0]}:
        raise ValueError(f"attacker: expected a finite budget, the paper's rules on {[*rows[0]]}; got {A!r}")
    named = {(r.feature, c) for r in A.rules if r.categorical for c in (r.becomes, *(r.pre or ()))}
    corrupted = {f for f, v in named.union(*(x.items() for x in rows)) if len(reachable(A, f, v)) > 1}
    options = Options(loss, tuple(rows[0]), corrupted, max_depth, min_samples_split)
    return treant(D, A, [], options) if attacker else build_tree(D, options)
