"""Trees too large for their page: what nobody attacks is folded."""

import treant_viz as tv


def test_what_nobody_attacks_is_folded_where_a_tree_is_too_large_for_its_page():
    d = tv.load_census("authors")
    X, y, attacker = d.X_train[:1000], d.y_train[:1000], d.attacker.with_budget(60)
    trace = tv.TreantClassifier(attacker, max_depth=4).fit(X, y).trace_
    shown = tv.TreeDisplay.from_trace(trace)
    hit = {p for p in shown.cards if shown.facts[p].flow is not None and shown.facts[p].flow.unknown}
    tests = {p for p, card in shown.cards.items() if card.kind == "test"}
    assert hit and shown.scale <= 1.3 and "overview words" not in shown.plot().artists
    assert all(len(p) < 2 or any(h.startswith(p) for h in hit) for p in tests)
    assert {p[:-1] for p in hit} <= tests and len(tests) == 4
    frames = shown.frames()
    assert all(set(f.cards) <= set(shown.cards) and f.place is frames[0].place for f in frames)
