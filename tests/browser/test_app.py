"""The app in a real browser: every explorer moved by keys and by typing, and what it shows is what Python says."""

from __future__ import annotations

import re
from html import unescape

import pytest

import treant_viz as tv
from tests.browser.pages import AppPage
from tests.browser.servers import address, app
from treant_viz.explore.study import study_of
from treant_viz.replay import rerun

TOY = study_of("toy")
TABS = ("Split", "Growth", "Constraints", "Surface", "Attack", "Forest", "Attacker")


@pytest.fixture(scope="module")
def server(browser, tmp_path_factory):
    with app(tmp_path_factory.mktemp("app") / "log.txt") as made:
        yield made
        assert "Traceback" not in made.said(), made.said()


@pytest.fixture(scope="module")
def opened(browser, server):
    page = AppPage(browser, address(server))
    yield page
    page.tab.close()


@pytest.fixture
def page(opened):
    """The toy, with all tabs as they are at first; afterwards: nothing was complained about in the console."""
    opened.choose("toy")
    opened.says("The paper's toy: 7 rows; 2 features.")
    opened.type("attacker's budget", "0")  # so that one sees that the next line has taken effect
    opened.says("budget 0.")
    opened.button("Start anew").press("Enter")
    opened.says("The paper's toy: 7 rows; 2 features. The attacker has 1 rule, budget 1.")
    yield opened
    opened.quiet()


def drawn(explorer, **state):
    """What an explorer of our own shows in this state; drawn at once, though the browser's loop runs here."""
    for name, value in state.items():
        setattr(explorer, name, value)
    explorer.refresh()
    return explorer.display


def plain(html: str) -> str:
    """What one reads."""
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", html))).strip()


def split_at(budget: float, feature: str, threshold: float):
    A = TOY.attacker.with_budget(budget)
    trace = tv.TreantRegressor(A, "sse", max_depth=1, min_samples_split=2).fit(TOY.X, TOY.y).trace_
    return tv.TernaryPartitionDisplay.from_trace(trace, feature=feature, threshold=threshold)


# one explorer after the other


def test_split_by_keys_and_by_typing(page):
    page.open("Split")
    page.shows(split_at(1, "p", 1.0))
    bar = page.slider("threshold")
    bar.press("Home")
    page.shows(split_at(1, "p", -7.0))
    bar.press("ArrowRight")
    page.shows(split_at(1, "p", -5.0))
    page.slider("budget").press("ArrowRight")
    page.shows(split_at(2, "p", -5.0))
    page.expect(page.field("budget (number)")).to_have_value("2")
    page.field("feature").select_option("q")
    page.shows(split_at(2, "q", 2.0))
    page.type("budget (number)", "1.25")  # where the slider cannot stand: it must not pull the budget to where it can
    page.shows(split_at(1.25, "q", 2.0))
    page.type("budget (number)", "7")
    page.shows(split_at(7, "q", 2.0))
    page.expect(page.slider("budget")).to_have_attribute("aria-valuenow", "7.0")
    page.type("budget (number)", "-5")
    page.complains("budget: expected a number of at least 0, got -5")
    page.shows(split_at(7, "q", 2.0))
    page.type("budget (number)", "")  # the browser puts back what was there
    page.expect(page.field("budget (number)")).to_have_value("-5")
    page.type("budget (number)", "1")
    page.shows(split_at(1, "q", 2.0))
    page.content()


def test_growth_by_buttons_keys_and_by_itself(page):
    page.open("Growth")
    said = tv.explore_growth(TOY.tree)
    page.shows(said.display)
    page.slider("step").press("ArrowRight")
    page.shows(drawn(said, step=1))
    page.says("L^A = 3.2 under attack; before this step 3.7.")
    page.button("Last").press("Enter")
    page.shows(drawn(said, step=said.last))
    page.button("Play").press("Space")  # from the end: anew
    page.shows(drawn(said, step=0))
    page.shows(drawn(said, step=1))
    page.button("Pause").press("Space")
    page.button("First").click()
    page.shows(drawn(said, step=0))
    page.field("sort candidates by").select_option("threshold")
    page.button("smallest first ▲").press("Space")
    drawn(said, sort_by="threshold", ascending=False)
    page.expect(page.tab.locator("caption:visible")).to_contain_text("sorted by threshold, largest first")
    rows = [" ".join(row.split()) for row in page.tab.locator("tbody:visible tr").all_inner_texts()]
    assert " ".join(rows) == plain(said.below[1].value.partition("<tbody>")[2])
    page.button("This picture as code").click()
    code = page.tab.get_by_label("Python", exact=True).filter(visible=True)
    page.expect(code).to_have_value(said.code())
    page.button("This picture as code").click()
    page.expect(code).to_have_count(0)


def test_constraints_are_switched_by_the_space_key(page):
    page.open("Constraints")
    said = tv.explore_constraints(TOY.tree)
    page.shows(said.display)
    page.tab.get_by_role("checkbox", name="switch off x2 (y = 0), from the root").press("Space")
    page.shows(drawn(said, off=(2,)))
    page.says(plain(said.below[0].value).partition(" → ")[2].split()[0])
    page.button("All on").press("Enter")
    page.shows(drawn(said, off=()))
    page.field("the tree of").select_option("the root: p <= 1")
    page.shows(tv.ConstraintsDisplay.from_trace(TOY.tree.trace_, "", off=()))


def surface(start: tuple[float, float], constrained: bool = True):
    run = rerun(TOY.tree.trace_, "r", "q", 3.0, start, constrained=constrained)
    return tv.LossSurfaceDisplay.from_trace(TOY.tree.trace_, "r", "q", 3.0, iterates=run.walk, constrained=constrained)


def test_surface_reruns_the_solver_from_where_it_is_told(page):
    page.open("Surface")
    page.shows(surface((-1.0, 2.0)))
    page.says("But it is stuck: the exact optimum is 2.5.")
    page.type("start of y_l (number)", "1")
    page.shows(surface((1.0, 2.0)))
    page.says("It found the exact optimum.")
    page.slider("start of y_r").press("ArrowLeft")
    page.shows(surface((1.0, 1.9)))
    page.type("start of y_l (number)", "99")
    page.complains("start_l: expected a number from -4 to 4, got 99")
    page.shows(surface((1.0, 1.9)))
    page.button("start at the plain optimum").press("Enter")
    page.shows(surface((1.0, 2.0)))
    page.type("start of y_l (number)", "0.5")
    page.tab.get_by_role("checkbox", name="obey the constraints").press("Space")
    page.shows(surface((0.5, 2.0), constrained=False))
    page.content()


def test_plans_of_a_split_and_other_leaves(page):
    page.open("Split")
    said = tv.explore_split(TOY.X, TOY.y, TOY.attacker)
    for words, view in (("standard plan", "standard"), ("four-case plan", "four-case"), ("robust plan", "robust")):
        page.button(words).press("Enter")
        page.shows(drawn(said, view=view))
    page.type("left leaf y_l (number)", "-1")
    page.shows(drawn(said, y_l=-1.0))
    page.button("the plan's own leaves").press("Enter")
    page.shows(drawn(said, y_l=None))
    assert said.display.loss_under_attack == pytest.approx(3.7)  # panel (c) of the paper


def test_attack_row_by_row_and_move_by_move(page):
    page.open("Attack")
    said = tv.explore_attack(TOY.target, TOY.X, TOY.y, TOY.attacker)
    page.shows(said.display)
    page.slider("step of the attack").press("Home")
    page.shows(drawn(said, step=0))
    page.says("by itself")
    page.button("Next").press("Enter")
    page.shows(drawn(said, step=1))
    page.field(
        "row",
    ).select_option("x3, label 2")
    page.shows(drawn(said, row=3))
    page.slider("row (slider)").press("ArrowRight")
    page.shows(drawn(said, row=4))
    for wrong in ("99", "-1"):
        page.type("row (number, from 0)", wrong)
        page.complains(f"row: expected a number from 0 to 6, got {wrong}")
        page.shows(said.display)
    page.type("row (number, from 0)", "2")
    page.type("budget (number)", "0.5")
    page.shows(drawn(said, row=2, budget=0.5))
    page.type("budget (number)", "1")
    page.shows(drawn(said, budget=1))
    page.field("attack on the leaf").select_option(index=1)
    page.shows(drawn(said, leaf=said._leaf.options[1][1]))
    page.content()


def test_forest_votes_and_table(page):
    page.open("Forest")
    said = tv.explore_forest(TOY.forest, TOY.X, TOY.y, TOY.attacker)
    page.shows(said.display)
    page.type("budget (number)", "0.5")
    page.shows(drawn(said, budget=0.5))
    rows = [row.split() for row in page.tab.locator("table:visible tr").all_inner_texts()]
    assert rows == [plain(row).split() for row in said.table.value.partition("</caption>")[2].split("<tr>")[1:]]
    page.type("budget (number)", "1")
    page.shows(drawn(said, budget=1))
    page.button("First").press("Enter")
    page.shows(drawn(said, move=0))
    page.slider("moves of the attack").press("End")
    page.shows(drawn(said, move=-1))


# the form


def test_wrong_entries_of_the_form_are_explained_in_place(page):
    page.open("Attacker")
    form = tv.build_attacker(TOY.X, TOY.attacker, y=TOY.y)
    for field, wrong, words in (
        ("cost", "abc", "cost: expected a number such as 2 or 0.5, got 'abc'"),
        ("cost", "-5", "cost: expected a finite number above 0, got -5"),
        ("cost", "", "cost: expected a number such as 2 or 0.5, got ''"),
        ("applies from", "x", "applies from: expected a number such as 2 or 0.5 (or nothing: no bound), got 'x'"),
        ("change from", "3", "change: the low end 3 is above the high end 1"),
        ("change to", "<b>1</b>", "change to: expected a number such as 2 or 0.5, got '<b>1</b>'"),
        ("budget (number)", "lots", "budget: expected a number such as 2 or 0.5, got 'lots'"),
        ("budget (number)", "-5", "budget: expected a number of at least 0 (it may be infinite), got -5"),
    ):
        page.type(field, wrong)
        page.complains(words)
        page.shows(form.display)
        right = {"cost": "1", "applies from": "-inf", "change from": "-1"}.get(field, "1")
        page.type(field, right)
        page.content()
    page.type("rule file (JSON)", "/nowhere/<img src=x onerror=alert(1)>.json")
    page.button("Load from this file").press("Enter")
    page.complains("No such file or directory. The attacker is as it was.")
    page.shows(form.display)


def test_an_attacker_that_was_built_serves_all_tabs(page, tmp_path):
    page.open("Split")
    page.shows(split_at(1, "p", 1.0))
    page.open("Attacker")
    page.type("cost", "0.5")
    page.says("1 can become anything in [-1, 3]")
    page.button("Empty the fields for a new rule").press("Enter")
    page.says("New rule: fill in the fields, then add it.")
    page.expect(page.field("cost")).to_have_value("")
    page.field("feature").select_option("q")
    for field, text in (("cost", "2"), ("change from", "-1"), ("change to", "0")):
        page.type(field, text)
    page.button("Add as a new rule").press("Enter")
    page.says("2. q may change by -1 to 0 whatever its value, at cost 2.")
    page.type("budget (number)", "inf")
    page.button("Use this attacker in all tabs").press("Enter")
    page.complains("budget: expected a finite number")
    page.type("budget (number)", "2")
    page.button("Use this attacker in all tabs").press("Enter")
    page.says("All tabs now use this attacker.")
    page.says("The attacker has 2 rules, budget 2.")
    A = tv.Attacker([tv.Rule("p", 0.5, delta=(-1, 1)), tv.Rule("q", 2, delta=(-1, 0))], 2)
    page.open("Split")
    page.shows(tv.explore_split(TOY.X, TOY.y, A).display)
    page.open("Attack")
    page.shows(tv.explore_attack(TOY.against(A).target, TOY.X, TOY.y, A).display)
    page.open("Attacker")
    page.says("2. q may change by -1 to 0")
    file = tmp_path / "a.json"
    with page.tab.expect_file_chooser() as chooser:
        page.button("Upload a rule file (0)").press("Enter")
    chooser.value.set_files(_saved(TOY.attacker.with_budget(3), file))
    page.says("Loaded 1 rule from a.json.")
    page.expect(page.field("budget (number)")).to_have_value("3")


def _saved(attacker, path):
    attacker.to_json(path)
    return path


# the page


def test_every_control_has_a_name_and_is_reached_by_keys(page):
    for name in TABS:
        page.open(name)
        assert page.nameless() == [], name
        assert page.out_of_reach() == [], name


def test_tabs_are_opened_by_keys(page):
    page.open("Split")
    tab = page.tab.get_by_role("tab", name="Split")
    tab.focus()
    for key in ("ArrowRight", "Enter"):
        page.tab.keyboard.press(key)
    page.shows(tv.explore_growth(TOY.tree).display)


def test_no_control_needs_an_icon(page):
    """A style sheet of icons would come from another machine; words do not."""
    for name in ("Growth", "Attack", "Attacker"):
        page.open(name)
        assert page.tab.locator("i.fa").filter(visible=True).count() == 0


@pytest.mark.parametrize("data", ["wine", "census", "credit"])
def test_every_tab_opens_with_every_data_set(page, data):
    page.open("Split")
    page.choose(data)
    page.says(f"{data}: the first 1,000 of")
    study = study_of(data)
    page.shows(tv.explore_split(study.X, study.y, study.attacker).display)
    before = page.picture.get_attribute("alt")
    for name in TABS[1:]:
        page.open(name)
        page.expect(page.picture).to_have_count(1)
        assert page.picture.get_attribute("alt") != before
        before = page.picture.get_attribute("alt")
    page.content()


def test_another_budget_makes_the_tabs_anew(page):
    page.open("Split")
    for wrong, words in (("abc", "got 'abc'"), ("-5", "got -5"), ("inf", "expected a finite number")):
        page.type("attacker's budget", wrong)
        page.complains(words)
        page.shows(split_at(1, "p", 1.0))
    page.type("attacker's budget", "2")
    page.says("The attacker has 1 rule, budget 2.")
    page.shows(tv.explore_split(TOY.X, TOY.y, TOY.attacker.with_budget(2)).display)
