"""The gallery: every public display has an example, and the page shows the code and the picture of each."""

from __future__ import annotations

import re
from pathlib import Path

import treant_viz as tv
from treant_viz.experiments.report.gallery import examples, gallery
from treant_viz.viz.display import Display

COMMITTED = Path(__file__).parents[2] / "figures" / "GALLERY.md"


def test_every_public_picture_is_there_with_code_that_makes_it():
    public = {
        n for n in tv.__all__ if isinstance(getattr(tv, n), type) and issubclass(getattr(tv, n), Display)
    }
    made = list(examples())
    assert {e.name for e in made} == public and len(made) == len(public)
    for example in made:
        assert isinstance(example.display, getattr(tv, example.name))
        assert example.code.startswith("import treant_viz as tv\n") and "display = tv." in example.code
        assert ">>>" not in example.code and "display.title" not in example.code


def test_the_page_shows_them_all_and_is_the_committed_one():
    files = list(gallery())
    pictures = {stem for stem, made in files if isinstance(made, Display)}
    (page,) = [made for stem, made in files if stem == "GALLERY.md"]
    assert {
        Path(p).with_suffix("").as_posix() for p in re.findall(r"\]\((gallery/\w+\.svg)\)", page)
    } == pictures
    assert page == COMMITTED.read_text(encoding="utf-8")
    assert {p.stem for p in (COMMITTED.parent / "gallery").iterdir()} == {Path(p).name for p in pictures}
