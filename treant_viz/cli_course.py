"""The subcommands of the course: tour, lab, book."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from treant_viz.command import UserError, check_places, subcommand

LAB = "needs the extra 'lab': pip install 'treant-viz[lab]'"


@subcommand
def tour(commands: Any) -> None:
    parser = commands.add_parser("tour", help="the first notebook, run here and now, as a page in your browser")
    parser.add_argument("--out", default="treant_viz_tour.html", metavar="FILE", help="default: treant_viz_tour.html")
    parser.add_argument("--no-browser", action="store_true", help="only write the page")
    parser.set_defaults(run=run_tour)


def run_tour(args: argparse.Namespace) -> None:
    check_places(args.out)
    try:
        from treant_viz.course.tour import show, write_tour
    except ImportError as error:
        raise UserError(f"the tour {LAB} ({error})") from error
    print("running the first notebook ...", flush=True)
    path = write_tour(Path(args.out))
    opened = not args.no_browser and show(path)
    print(f"wrote {path}{', opened in your browser' if opened else ': open it in a browser'}")
    print("next: `treant-viz lab` opens all notebooks in JupyterLab, where the sliders move")


@subcommand
def lab(commands: Any) -> None:
    parser = commands.add_parser("lab", help="all notebooks in JupyterLab, in a folder of your own")
    where = "where to copy them; nothing there is ever written over (default: treant_viz_notebooks)"
    parser.add_argument("folder", nargs="?", default="treant_viz_notebooks", metavar="DIR", help=where)
    parser.add_argument("--solutions", action="store_true", help="copy the solutions, too")
    parser.add_argument("--copy-only", action="store_true", help="do not open JupyterLab")
    parser.add_argument("--port", type=int, metavar="N", help="default: one that is free")
    parser.add_argument("--no-browser", action="store_true", help="only serve; open the address yourself")
    parser.set_defaults(run=run_lab)


def run_lab(args: argparse.Namespace) -> int:
    from importlib.util import find_spec

    from treant_viz.course.lab import copy_notebooks, open_lab

    folder = Path(args.folder)
    try:
        print(f"{folder}: {copy_notebooks(folder, args.solutions)}", flush=True)
    except OSError as error:
        raise UserError(f"{error.filename or folder}: {error.strerror or error}") from error
    if args.copy_only:
        return 0
    if find_spec("jupyterlab") is None:
        raise UserError(f"JupyterLab {LAB}")
    return open_lab(folder, args.port, browser=not args.no_browser)


@subcommand
def book(commands: Any) -> None:
    parser = commands.add_parser("book", help="the notebooks as HTML pages, to be read offline")
    parser.add_argument("--out", default="treant_viz_book", metavar="DIR", help="default: treant_viz_book")
    parser.add_argument("--solutions", action="store_true", help="the solutions instead of the students' version")
    parser.set_defaults(run=run_book)


def run_book(args: argparse.Namespace) -> None:
    try:
        from treant_viz.course.book import write_book
    except ImportError as error:
        raise UserError(f"the book {LAB} ({error})") from error
    try:
        *_, last = write_book(Path(args.out), args.solutions)
    except OSError as error:
        raise UserError(f"{error.filename or args.out}: {error.strerror or error}") from error
    print(f"wrote {last}: open it in a browser")


__all__ = ["book", "lab", "tour"]
