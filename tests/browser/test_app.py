"""The app in a real browser: every explorer, moved by keys and by typing, shows what Python says."""

from __future__ import annotations

import re
from html import unescape

import pytest

import treant_viz as tv
from tests.browser.pages import AppPage
from tests.browser.servers import address, app
from tests.browser.test_live_attack import expected
from treant_viz.live.app.study import study_of
from treant_viz.trace.replay import rerun
from treant_viz.viz.attack_path.facts import ways

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
    """The toy, with all tabs as they are at first; afterwards: the console has no complaints."""
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


# one explorer after the other


def test_split_by_keys_and_clicks(page):
    page.open("Split")
    page.shows_facts(threshold=1, budget=1, left=2, unknown=1, right=4, loss_under_attack=3.7)
    bar = page.live("threshold")
    bar.press("Home")
    page.shows_facts(threshold=-8, unknown=1, right=6)
    for _ in range(3):
        bar.press("ArrowRight")
    page.shows_facts(threshold=-5)
    page.live("budget").press("ArrowRight")
    page.shows_facts(threshold=-5, budget=2, left=1, unknown=1)  # x0 comes no farther than -5
    page.live("budget").locator(".tv-coin").nth(3).click()
    page.shows_facts(budget=4)
    page.live("feature").select_option("q (no rule)")
    page.shows_facts(threshold=2, left=2, right=5)


def growth_of(page):
    """The live picture of the growth, once it is open."""
    return page.tab.locator(".tv-live:visible").filter(has=page.tab.locator("[data-control=play]"))


ROOT = "The root asks p ≤ 1: the loss under attack falls from 17.4 to 3.7"


def test_growth_by_buttons_keys_and_by_itself(page):
    page.tab.get_by_role("tab", name="Growth", exact=True).click()
    live = growth_of(page)
    title, step = live.locator(".tv-title"), live.locator("[data-fact=step]")
    page.expect(title).to_have_text(ROOT)
    live.locator("[data-control=step]").press("ArrowRight")
    page.expect(live.locator("[data-fact=loss_under_attack]")).to_have_text("3.2")
    live.locator("[data-control=last]").press("Enter")
    page.expect(step).to_have_text("7")
    live.locator("[data-control=play]").press("Space")  # from the end: anew
    page.expect(step).to_have_text("1")
    page.expect(step).to_have_text("2")
    live.locator("[data-control=play]").press("Space")
    live.locator("[data-control=first]").click()
    page.expect(title).to_have_text(ROOT)
    live.locator("[data-control=sort_by]").select_option("threshold")
    live.locator("[data-control=ascending]").press("Space")
    page.expect(live.locator(".tv-candidate").first).to_contain_text("≤ 3")


def test_constraints_are_switched_by_keys(page):
    page.tab.get_by_role("tab", name="Constraints", exact=True).click()
    live = page.tab.locator(".tv-live:visible").filter(has=page.tab.locator("[data-control=path]"))
    title = live.locator(".tv-title")
    page.expect(title).to_have_text("1 is forbidden in the leaf q ≤ 3: 1.5 is the nearest legal value")
    live.locator("[data-control=constraint]").press("Space")
    page.expect(title).to_have_text(re.compile("^Without the constraint of x2 .* causes 3.75, not 3$"))
    live.locator("[data-control=on]").press("Enter")
    page.expect(live.locator("[data-fact=prediction]")).to_have_text("1.5")
    live.locator("[data-control=path]").select_option("the root: p ≤ 1")
    page.expect(live.locator("[data-fact=attacked]")).to_have_text("3.7")


def surface(start: tuple[float, float], constrained: bool = True):
    run = rerun(TOY.tree.trace_, "r", "q", 3.0, start, constrained=constrained)
    return tv.LossSurfaceDisplay.from_trace(
        TOY.tree.trace_, "r", "q", 3.0, iterates=run.walk, constrained=constrained
    )


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


def test_plans_of_a_split(page):
    """Panels (b) and (c) of the paper."""
    page.open("Split")
    page.live("plan").get_by_role("radio", name="standard").click()
    page.shows_facts(y_l=-1, y_r=2, loss=2, loss_under_attack=5)
    page.live("plan").get_by_role("radio", name="four cases").click()
    page.shows_facts(case_1=3.7, loss_under_attack=5)
    page.live("plan").get_by_role("radio", name="robust").click()
    page.shows_facts(y_l=-1.5, y_r=1.6, loss=3.39, loss_under_attack=3.7)


LOSSES = {"loss", "loss_under_attack", "row_loss", "row_loss_under_attack"}


def shows_attack(page, said, **state):
    """The live picture has the numbers of an attack in this state, and its controls stand there."""
    for name, value in state.items():
        setattr(said, name, value)
    row, A, worst = said.row, said.attacker.with_budget(said.budget), said.leaf == "worst"
    found = ways(said.trees[0], said.X.iloc[[row]], float(said.numbers[row]), A, said._own_loss)
    leaf, name = found.best if worst else said.leaf, said.named(row)
    now = {"budget": said.budget, "name": name, "leaf": leaf, "worst": worst, "step": said.step}
    page.agrees(
        expected(said, now),
        LOSSES | {"budget", "row_y", "spent", "left", f"prediction_{leaf}", f"loss_{leaf}"},
    )
    told = re.compile(("the worst: " if worst else "") + (leaf or "root") + ", prediction ")
    step = said.step if said.step >= 0 else said.moves + 1
    page.expect(page.live("leaf")).to_have_attribute("aria-valuetext", told)
    page.expect(page.live("row")).to_have_attribute("aria-valuetext", name)
    page.expect(page.live("find")).to_have_value(name)
    page.expect(page.live("step")).to_have_attribute("aria-valuenow", str(step))
    page.expect(page.live("step")).to_have_attribute("aria-valuemax", str(said.moves + 1))


def test_attack_row_by_row_and_move_by_move(page):
    page.open("Attack")
    said = tv.explore_attack(TOY.target, TOY.X, TOY.y, TOY.attacker)
    title = page.tab.locator(".tv-live:visible .tv-title")
    page.expect(title).to_have_text("x2 spends 1 of 1 to cross the root: loss 0 → 4")
    shows_attack(page, said)
    page.live("step").press("Home")
    page.expect(title).to_have_text("By itself x2 falls into the leaf 0: loss 0")
    shows_attack(page, said, step=0)
    page.live("step").press("ArrowDown")
    page.expect(title).to_have_text("Move 1 of 1: p 1 → 2, cost 1; loss 4, 0 left")
    shows_attack(page, said, step=1)
    page.live("step").press("Escape")
    shows_attack(page, said, step=-1)
    find(page, "x3")
    shows_attack(page, said, row=3)
    page.live("row").press("ArrowRight")
    shows_attack(page, said, row=4)
    for wrong in ("99", "-1", "<b>x1</b>"):
        find(page, wrong)
        page.complains(f"row: no row is called “{wrong}”")
        page.expect(page.live("row")).to_have_attribute("aria-valuetext", "x4")
    find(page, "2")
    page.content()
    page.live("budget").press("Home")
    shows_attack(page, said, row=2, budget=0.0)
    page.live("budget").locator(".tv-coin").first.click()
    shows_attack(page, said, budget=1.0)
    for leaf in ("r", "lrr"):
        page.live("leaf").press("ArrowRight")
        shows_attack(page, said, leaf=leaf)
    page.live("budget").press("End")
    shows_attack(page, said, budget=3.0)  # with more than 3 nothing else is in reach
    page.content()


def find(page, text):
    """A row, by its name or number."""
    page.live("find").fill(text)
    page.live("find").press("Enter")


def test_forest_votes_and_table(page):
    page.open("Forest")
    said = tv.explore_forest(TOY.forest, TOY.X, TOY.y, TOY.attacker)
    page.shows(said.display)
    page.type("budget (number)", "0.5")
    page.shows(drawn(said, budget=0.5))
    rows = [row.split() for row in page.tab.locator("table:visible tr").all_inner_texts()]
    assert rows == [
        plain(row).split() for row in said.table.value.partition("</caption>")[2].split("<tr>")[1:]
    ]
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
        (
            "applies from",
            "x",
            "applies from: expected a number such as 2 or 0.5 (or nothing: no bound), got 'x'",
        ),
        ("change from", "3", "change: the low end 3 is above the high end 1"),
        ("change to", "<b>1</b>", "change to: expected a number such as 2 or 0.5, got '<b>1</b>'"),
        ("budget (number)", "lots", "budget: expected a number such as 2 or 0.5, got 'lots'"),
        ("budget (number)", "-5", "budget: expected a number of at least 0 (it may be infinite), got -5"),
    ):
        page.type(field, wrong)
        page.complains(words)
        page.shows(form.display)
        right = {"cost": "1", "applies from": "-inf", "change from": "−1"}.get(field, "1")
        page.type(field, right)
        page.content()
    page.type("rule file (JSON)", "/nowhere/<img src=x onerror=alert(1)>.json")
    page.button("Load from this file").press("Enter")
    page.complains("No such file or directory. The attacker is as it was.")
    page.shows(form.display)


def test_an_attacker_that_was_built_serves_all_tabs(page, tmp_path):
    page.open("Split")
    page.shows_facts(threshold=1, budget=1, unknown=1)
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
    page.says("2. q may change by −1 to 0 whatever its value, at cost 2.")
    page.type("budget (number)", "inf")
    page.button("Use this attacker in all tabs").press("Enter")
    page.complains("budget: expected a finite number")
    page.type("budget (number)", "2")
    page.button("Use this attacker in all tabs").press("Enter")
    page.says("All tabs now use this attacker.")
    page.says("The attacker has 2 rules, budget 2.")
    A = tv.Attacker([tv.Rule("p", 0.5, delta=(-1, 1)), tv.Rule("q", 2, delta=(-1, 0))], 2)
    page.open("Split")
    page.shows_split(tv.explore_split(TOY.X, TOY.y, A))
    page.open("Attack")
    shows_attack(page, tv.explore_attack(TOY.against(A).target, TOY.X, TOY.y, A))
    page.open("Attacker")
    page.says("2. q may change by −1 to 0")
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
    page.expect(growth_of(page).locator(".tv-title")).to_have_text(ROOT)


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
    page.shows_split(tv.explore_split(study.X, study.y, study.attacker))
    before = page.words()
    for name in TABS[1:]:
        page.open(name)
        page.expect(page.picture).to_have_count(1)
        assert page.words() not in ("", before)
        before = page.words()
    page.content()


def test_another_budget_makes_the_tabs_anew(page):
    page.open("Split")
    for wrong, words in (("abc", "got 'abc'"), ("-5", "got -5"), ("inf", "expected a finite number")):
        page.type("attacker's budget", wrong)
        page.complains(words)
        page.shows_facts(threshold=1, budget=1, unknown=1)
    page.type("attacker's budget", "2")
    page.says("The attacker has 1 rule, budget 2.")
    page.shows_split(tv.explore_split(TOY.X, TOY.y, TOY.attacker.with_budget(2)))
