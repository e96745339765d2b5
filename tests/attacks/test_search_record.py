"""What a watched search writes down accounts for every combination, and finds what enumeration finds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import treant_viz as tv
from tests.attacks.problems import frame, row, shifts, small_forest, step, to_attacker
from treant_viz.attacks import search_record
from treant_viz.attacks.attack import attack
from treant_viz.attacks.batch import AttackedModel, Batch
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import row_problem
from treant_viz.attacks.search import Descent
from treant_viz.attacks.search_record import SearchRecorder, record_search
from treant_viz.ensembles.common_form import common_form


def payable(record) -> dict[tuple[int, ...], float]:
    """Every combination that the budget can pay for, listed one by one."""
    choices = itertools.product(*(range(len(o)) for o in record.options))
    costs = {c: sum(o[k].cost for o, k in zip(record.options, c, strict=True)) for c in choices}
    return {c: cost for c, cost in costs.items() if cost <= record.limit}


def records(seeds):
    for seed in seeds:
        R, kinds, trees, rules, budget, rows = small_forest(seed)
        X, A, y = frame(rows, kinds), to_attacker(rules, budget), R.rng.integers(-4, 5, size=4) / 4
        for i in range(4):
            x = X.iloc[[i]].reset_index(drop=True)
            yield trees, x, y[i], A, record_search(trees, x, y[i], A)


def test_visited_and_cut_are_all_there_is_and_the_result_is_that_of_enumeration():
    seen = cut = 0
    for trees, x, y, A, record in records(range(4000, 4030)):
        exhaustive = attack(trees, x, [y], A, method="exhaustive")
        if record is None:
            assert exhaustive.losses[0] == pytest.approx(exhaustive.clean_losses[0])
            continue
        every = payable(record)
        whole = {look.cells for look in record.looks if len(look.cells) == len(record.options)}
        heads = [look.cells for look in record.cut()]
        for combination in every:
            beginnings = [h for h in heads if combination[: len(h)] == h]
            assert len(beginnings) + (combination in whole) == 1
        assert whole <= set(every)
        assert record.visited + sum(record.below(c.cells, c.cost) for c in record.cut()) == len(every)
        assert record.affordable == len(every)
        assert record.loss(record.solution.value) == pytest.approx(exhaustive.losses[0])
        assert record.solution.cost == pytest.approx(exhaustive.costs[0])
        seen, cut = seen + 1, cut + len(heads)
    assert seen > 50
    assert cut > 50


def test_every_cut_was_right():
    """Nothing below a cut beats what was known then: all combinations below it, scored by hand."""
    for trees, x, _y, A, record in records(range(4100, 4110)):
        if record is None:
            continue
        form = common_form(trees, x, A)
        attacked = AttackedModel(form, x, A)
        p = row_problem(
            Batch(attacked, np.zeros(1, dtype=np.int64), np.array([record.sign]), attacked.limit),
            0,
            attacked.limit,
        )
        order = Descent(p, attacked.limit, RowLimits()).order
        for c in payable(record):
            total = p.score([c[order.index(f)] for f in range(len(order))])
            for look in record.cut():
                if c[: len(look.cells)] == look.cells:
                    assert total <= look.bound + 1e-9
                    assert total <= look.best + 1e-9
            assert total <= record.root_bound + 1e-9


@pytest.mark.parametrize("fine", [True, False])
def test_any_pace_of_the_search_is_accounted_for(fine, forced_descent):
    """Also where points go in blocks and the last features are scored at once."""
    tails = 0
    for _trees, x, _y, A, record in records(range(4200, 4215)):
        if record is None:
            continue
        attacked = AttackedModel(record.rows.form, x, A)
        batch = Batch(attacked, np.zeros(1, dtype=np.int64), np.array([record.sign]), attacked.limit)
        p, recorder = row_problem(batch, 0, attacked.limit), SearchRecorder()
        search = Descent(p, attacked.limit, RowLimits(), watch=recorder, one_by_one=fine)
        solution = search.run()
        tails += search.tail.cells.shape[1]
        looks = recorder.searches[0][1].values()
        whole = {k.cells for k in looks if len(k.cells) == len(search.order)}
        heads = [k.cells for k in looks if not k.kept and len(k.cells) < len(search.order)]
        for c in payable(record):
            assert sum(c[: len(h)] == h for h in heads) + (c in whole) == 1
        assert solution.value == pytest.approx(record.solution.value)
        assert solution.cost == record.solution.cost
    assert (tails > 0) == (not fine)


def test_a_second_search_for_a_cheaper_attack_is_counted_apart():
    """Both features do as much; the dearer one is settled first, so the cheaper one needs a second search."""
    A = tv.Attacker([*shifts(2, 1)], 2)
    record = record_search([step(0, 1.0), step(1, 1.0)], row(0, 0), -1.0, A)
    assert record.affordable == 3
    assert record.solution.cost == 1.0
    assert record.loss(record.solution.value) == pytest.approx((0.5 + 1) ** 2)
    assert (record.again > 0) == (record.found != record.solution.cells)


def test_options_are_the_new_values_and_what_they_cost():
    record = record_search([step(0, 1.0), step(1, 0.5)], row(0, 0), -1.0, tv.Attacker(shifts(2, 1), 3))
    assert record.features == ("f0", "f1")
    assert record.before == (0.0, 0.0)
    assert [[(o.after, o.cost) for o in options] for options in record.options] == [
        [(None, 0.0), (2.0, 2.0)],
        [(None, 0.0), (2.0, 1.0)],
    ]
    assert record.combinations == 4
    assert record.score(record.unattacked) == 0.0


def test_nothing_in_reach_is_no_search():
    assert (
        search_record.record_search([step(0, 1.0, at=9.0)], row(0, 0), -1.0, tv.Attacker(shifts(1), 1))
        is None
    )
