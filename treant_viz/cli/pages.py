"""The subcommands that show something in a browser: tour, lab, book, handout, app."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from treant_viz.cli.command import UserError, as_typed, check_places, subcommand, whole

LAB = "needs the extra 'lab': pip install 'treant-viz[lab]'"


@subcommand
def tour(commands: Any) -> None:
    parser = commands.add_parser(
        "tour", help="the first notebook, run here and now, as a page in your browser"
    )
    parser.add_argument(
        "--out", default="treant_viz_tour.html", metavar="FILE", help="default: treant_viz_tour.html"
    )
    parser.add_argument("--no-browser", action="store_true", help="only write the page")
    parser.set_defaults(run=run_tour)


def run_tour(args: argparse.Namespace) -> None:
    check_places(args.out)
    try:
        from treant_viz.course.book import show, write_tour
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
    parser.add_argument(
        "--with-outputs", action="store_true", help="with what cells show; else predictions come first"
    )
    parser.add_argument(
        "--for-class",
        action="store_true",
        help="only copy, to be handed out: no outputs, no solutions, and a place for reasons",
    )
    parser.add_argument("--copy-only", action="store_true", help="do not open JupyterLab")
    parser.add_argument("--port", type=whole(0), default=0, metavar="N", help="default: 0, any that is free")
    parser.add_argument("--no-browser", action="store_true", help="only serve; open the address yourself")
    parser.set_defaults(run=run_lab)


def run_lab(args: argparse.Namespace) -> int:
    from importlib.util import find_spec

    from treant_viz.course.lab import copy_notebooks, open_lab

    folder = Path(args.folder)
    if args.for_class and (args.solutions or args.with_outputs):
        raise UserError("--for-class hands out neither solutions nor outputs: leave out the other option")
    try:
        copied = copy_notebooks(folder, args.solutions, args.with_outputs, reasons=args.for_class)
    except ImportError as error:
        raise UserError(f"copying notebooks {LAB} ({error})") from error
    print(f"{folder}: {copied}", flush=True)
    if args.copy_only or args.for_class:
        return 0
    if find_spec("jupyterlab") is None:
        raise UserError(f"JupyterLab {LAB}")
    try:
        return open_lab(folder, args.port, browser=not args.no_browser)
    except ValueError as error:
        raise UserError(error) from error


@subcommand
def book(commands: Any) -> None:
    parser = commands.add_parser("book", help="the notebooks as HTML pages, to be read offline")
    parser.add_argument("--out", default="treant_viz_book", metavar="DIR", help="default: treant_viz_book")
    parser.add_argument(
        "--solutions", action="store_true", help="the solutions instead of the students' version"
    )
    parser.add_argument("--for-class", action="store_true", help="to be handed out: no pages for teachers")
    parser.set_defaults(run=run_book)


def run_book(args: argparse.Namespace) -> None:
    try:
        from treant_viz.course.book import write_book
    except ImportError as error:
        raise UserError(f"the book {LAB} ({error})") from error
    if args.for_class and args.solutions:
        raise UserError("--for-class hands out no solutions: leave out the other option")
    *_, last = write_book(Path(args.out), args.solutions, args.for_class)
    print(f"wrote {last}: open it in a browser")


# handout: the toy example as one page


@subcommand
def handout(commands: Any) -> None:
    parser = commands.add_parser("handout", help="the toy example as one HTML file: no kernel, no network")
    parser.add_argument("--out", default="toy.html", metavar="FILE", help="default: toy.html")
    parser.add_argument("--dark", action="store_true", help="open it light on dark (a button changes it)")
    parser.set_defaults(run=run_handout)


def run_handout(args: argparse.Namespace) -> None:
    check_places(args.out)
    from treant_viz.course.handout import handout
    from treant_viz.viz.style.palette import DARK

    Path(args.out).write_text(handout(DARK if args.dark else None), encoding="utf-8")
    print(f"wrote {args.out}")


# app: the explorers as one page


@subcommand
def app(commands: Any) -> None:
    parser = commands.add_parser(
        "app", help="the explorers as one page in your browser; nothing leaves this machine"
    )
    parser.add_argument(
        "--data", choices=("toy", "wine", "census", "credit"), default="toy", help="default: toy"
    )
    parser.add_argument("--csv", metavar="CSV", help="a table of your own, with --target and --rules")
    parser.add_argument("--target", type=as_typed, metavar="COLUMN", help="the column to predict")
    parser.add_argument("--rules", metavar="JSON", help="the attacker's rules")
    parser.add_argument(
        "--budget", type=float, metavar="K", help="the attacker's budget (default: the rules' own)"
    )
    parser.add_argument(
        "--port", type=whole(0), default=8866, metavar="N", help="default: 8866; 0: any that is free"
    )
    parser.add_argument("--no-browser", action="store_true", help="only serve; open the address yourself")
    parser.set_defaults(run=run_app)


def run_app(args: argparse.Namespace) -> int:
    users_files = (args.csv, args.target, args.rules)
    if any(users_files) and not all(users_files):
        raise UserError("a table of your own needs all of --csv, --target and --rules")
    if args.budget is not None and not args.csv:
        raise UserError("--budget goes with --csv; other data have their own, and the page can change it")
    from treant_viz.live.app.serve import serve
    from treant_viz.live.app.study import own_study, read_file, study_of

    try:
        if args.csv:
            first = own_study(read_file(args.csv), args.target, read_file(args.rules), args.budget)
        else:
            first = study_of(args.data)
        return serve(first, args.port, browser=not args.no_browser)
    except (ValueError, TypeError) as error:
        raise UserError(error) from error


__all__ = ["app", "book", "handout", "lab", "tour"]
