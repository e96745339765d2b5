"""The commands of the course: lab (a copy that is never written over), book (readable offline), tour."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from treant_viz.cli.main import main
from treant_viz.course.book import with_mathml, write_book
from treant_viz.course.lab import command, copy_notebooks
from treant_viz.datasets.shipped import shipped

NAMES = sorted(p.name for p in shipped("notebooks").glob("*.ipynb"))


# lab


def test_notebooks_are_copied_to_a_folder_of_the_users_choice(tmp_path, capsys):
    assert main(["lab", str(tmp_path / "mine"), "--copy-only"]) == 0
    assert sorted(p.name for p in (tmp_path / "mine").iterdir()) == NAMES
    assert capsys.readouterr().out == f"{tmp_path / 'mine'}: {len(NAMES)} notebooks copied\n"


def test_work_is_never_written_over(tmp_path, capsys):
    copy_notebooks(tmp_path)
    mine = tmp_path / NAMES[0]
    mine.write_text("my own work", encoding="utf-8")
    (tmp_path / NAMES[1]).unlink()
    assert main(["lab", str(tmp_path), "--copy-only"]) == 0
    assert mine.read_text(encoding="utf-8") == "my own work"
    assert (tmp_path / NAMES[1]).exists()
    assert f"1 notebooks copied, {len(NAMES) - 1} left as they were there" in capsys.readouterr().out


def shows(folder: Path) -> bool:
    books = [json.loads(p.read_text("utf-8")) for p in folder.glob("*.ipynb")]
    return any(cell.get("outputs") for book in books for cell in book["cells"])


def test_predictions_stay_predictions_unless_outputs_are_asked_for(tmp_path, capsys):
    for options, with_outputs in (([], False), (["--with-outputs"], True), (["--for-class"], False)):
        folder = tmp_path / f"copy{''.join(options)}"
        assert main(["lab", str(folder), "--copy-only", *options]) == 0
        assert shows(folder) is with_outputs and not (folder / "solutions").exists()
    assert main(["lab", str(tmp_path / "x"), "--for-class", "--solutions"]) == 2
    assert "neither solutions nor outputs" in capsys.readouterr().err and not (tmp_path / "x").exists()


def test_solutions_come_if_they_are_asked_for(tmp_path):
    copy_notebooks(tmp_path, solutions=True)
    assert sorted(p.name for p in (tmp_path / "solutions").iterdir()) == NAMES


def test_a_folder_that_cannot_be_is_explained(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["lab", str(tmp_path / "file"), "--copy-only"]) == 2
    assert "treant-viz lab: " in capsys.readouterr().err


def test_jupyterlab_starts_at_the_first_notebook_for_this_machine_alone(tmp_path):
    copy_notebooks(tmp_path)
    words = command(tmp_path, 8900, browser=True)
    assert words[-1] == str((tmp_path / NAMES[0]).resolve())
    assert "--ServerApp.ip=127.0.0.1" in words


# book


class Page(HTMLParser):
    """What a page links to and shows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.pictures: list[dict] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids.add(found.get("id", ""))
        if tag == "img":
            self.pictures.append(found)
        if (tag == "script" and "src" in found) or (tag == "link" and "href" in found):
            raise AssertionError(f"<{tag}> from elsewhere in a page that should stand alone")
        if tag == "a" and "href" in found:
            self.links.append(found["href"])


FOR_TEACHERS = ["guide.html", "lecture.html", "answers.html"]


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    list(write_book(folder))
    return folder


def test_the_book_has_a_page_for_each_notebook_and_an_index(book):
    assert sorted(p.name for p in book.iterdir()) == sorted(
        [n.replace(".ipynb", ".html") for n in NAMES] + [*FOR_TEACHERS, "index.html"]
    )
    assert Page((book / "index.html").read_text()).links == [
        *(n.replace(".ipynb", ".html") for n in NAMES),
        *FOR_TEACHERS,
    ]


def test_a_class_gets_no_pages_for_teachers(tmp_path):
    list(write_book(tmp_path, for_class=True))
    assert not {p.name for p in tmp_path.iterdir()} & set(FOR_TEACHERS)
    for path in tmp_path.iterdir():
        assert not set(Page(path.read_text("utf-8")).links) & set(FOR_TEACHERS), path.name


@pytest.mark.parametrize("name", ["lecture.html", "answers.html"])
def test_the_other_pages_for_teachers_stand_alone(book, name):
    text = (book / name).read_text(encoding="utf-8")
    stands_alone(text, Page(text), book)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_stands_alone(book, name):
    """Pictures inside, with alt text; links to other pages; formulas in MathML; nothing from elsewhere."""
    text = (book / name.replace(".ipynb", ".html")).read_text(encoding="utf-8")
    page = Page(text)
    assert len(page.pictures) >= 3
    assert all(p["src"].startswith("data:image/png;base64,") and len(p["alt"]) > 40 for p in page.pictures)
    stands_alone(text, page, book)


def test_the_guide_is_a_page_of_the_book(book):
    text = (book / "guide.html").read_text(encoding="utf-8")
    page = Page(text)
    assert {n.replace(".ipynb", ".html") for n in NAMES} <= set(page.links)
    assert text.count("<math") > 10 and text.count("<table") > len(NAMES)
    stands_alone(text, page, book)


def stands_alone(text, page, book):
    for link in page.links:
        if not link.startswith(("#", "https:")):
            assert (book / link.partition("#")[0]).exists(), link
    assert "default-src 'none'" in text  # what the scripts of live pictures may load: nothing
    words = re.sub(r"<(pre|code|style|math|script)\b.*?</\1>", "", text, flags=re.S)
    assert "$" not in words
    assert "\\" not in words
    assert not re.search(r'(src|srcset)="(?!data:)|url\((?!data:)|@import', words)
    assert "merror" not in text


def test_formulas_become_mathml_and_code_does_not():
    assert with_mathml("a $x_p$ b").count("<msub>") == 1
    assert with_mathml("$$x \\le y$$").count('display="block"') == 1
    assert with_mathml("<pre>$x$ and $y$</pre>") == "<pre>$x$ and $y$</pre>"
    assert with_mathml("5 dollars: $5") == "5 dollars: $5"


def test_the_command_writes_the_book(tmp_path, capsys):
    assert main(["book", "--out", str(tmp_path / "b"), "--solutions"]) == 0
    assert (tmp_path / "b" / "index.html").exists()
    assert "index.html: open it in a browser" in capsys.readouterr().out
    (tmp_path / "file").write_text("")
    assert main(["book", "--out", str(tmp_path / "file")]) == 2


# tour


def test_the_tour_runs_the_first_notebook(tmp_path, capsys):
    out = tmp_path / "tour.html"
    assert main(["tour", "--out", str(out), "--no-browser"]) == 0
    assert len(Page(out.read_text(encoding="utf-8")).pictures) >= 5
    assert "open it in a browser" in capsys.readouterr().out
    assert main(["tour", "--out", str(tmp_path / "no" / "tour.html")]) == 2


def test_without_a_screen_no_browser_is_started(tmp_path, monkeypatch):
    from treant_viz.course import book as tour

    asked = []
    monkeypatch.setattr(tour.webbrowser, "open", lambda address: asked.append(address) or True)
    monkeypatch.setattr(tour.sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not tour.show(tmp_path / "a.html")
    monkeypatch.setenv("DISPLAY", ":0")
    assert tour.show(tmp_path / "a.html")
    assert asked == [(tmp_path / "a.html").resolve().as_uri()]


def test_what_a_cell_prints_is_one_text_however_it_came(tmp_path):
    """A kernel sends words when it likes; the file must not depend on that."""
    import nbformat

    from treant_viz.course.build import run

    cell = nbformat.v4.new_code_cell(
        "import time\nfor k in range(3):\n    print(k, flush=True)\n    time.sleep(0.4)"
    )
    done = run(nbformat.v4.new_notebook(cells=[cell]), tmp_path)
    assert [output.text for output in done.cells[0].outputs] == ["0\n1\n2\n"]
