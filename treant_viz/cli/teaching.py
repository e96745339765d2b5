"""The subcommands for those who teach: grade, slides."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from treant_viz.cli.command import UserError, check_apart, check_places, subcommand, whole


@subcommand
def grade(commands: Any) -> None:
    parser = commands.add_parser(
        "grade",
        help="judge handed-in notebooks: a table of results and a report; goes on where it was stopped",
    )
    parser.add_argument("folder", metavar="DIR", help="with notebooks, best in a folder for each student")
    parser.add_argument("--out", default="grades.csv", metavar="CSV", help="default: grades.csv")
    parser.add_argument("--report", metavar="HTML", help="default: beside the table, as .html")
    parser.add_argument(
        "--minutes", type=whole(1), default=5, metavar="N", help="for each notebook; default: 5"
    )
    parser.add_argument("--memory", type=whole(1), default=4, metavar="GB", help="default: 4")
    parser.add_argument("--jobs", type=whole(1), default=os.cpu_count() or 1, metavar="N", help="at once")
    parser.set_defaults(run=run_grade)


def run_grade(args: argparse.Namespace) -> None:
    folder, table = Path(args.folder), Path(args.out)
    page = Path(args.report or table.with_suffix(".html"))
    check_places(str(table), str(page))
    check_apart(str(table), str(page))
    if not folder.is_dir():
        raise UserError(f"{folder}: expected a folder with notebooks, found none")
    from treant_viz.core.serial import write_whole
    from treant_viz.course.grading.grade import grade
    from treant_viz.course.grading.report import report
    from treant_viz.course.grading.submission import NotebookLimits
    from treant_viz.long_work import Bar

    tell, limits = Bar("notebooks"), NotebookLimits(60.0 * args.minutes, float(args.memory))
    try:
        for done, total, rows in grade(folder, table, limits, args.jobs):
            tell(done, total)
            write_whole(page, report(rows))
    except ValueError as error:
        raise UserError(error) from error
    print(f"wrote {table} and {page}")


@subcommand
def slides(commands: Any) -> None:
    parser = commands.add_parser(
        "slides", help="a lecture as one HTML file: live pictures, notes for the speaker, no network"
    )
    parser.add_argument(
        "--minutes", type=int, choices=(45, 90), default=45, help="how long it takes; default: 45"
    )
    parser.add_argument("--out", default="slides.html", metavar="FILE", help="default: slides.html")
    parser.set_defaults(run=run_slides)


def run_slides(args: argparse.Namespace) -> None:
    check_places(args.out)
    try:
        from treant_viz.course.slides import write_slides
    except ImportError as error:
        raise UserError(
            f"the slides need the extra 'lab': pip install 'treant-viz[lab]' ({error})"
        ) from error
    try:
        path = write_slides(Path(args.out), args.minutes)
    except ValueError as error:  # a notebook that is behind its source
        raise UserError(error) from error
    print(f"wrote {path}: open it in a browser, press N for the speaker's window")


__all__ = ["grade", "slides"]
