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
    parser.add_argument(
        "folder", metavar="DIR", help="a folder or .zip with a folder, .zip or notebook for each student"
    )
    where = "default: grades.csv; points.csv, a line for each student, is written beside it"
    parser.add_argument("--out", default="grades.csv", metavar="CSV", help=where)
    parser.add_argument("--exercises", metavar="KEYS", help="count only these, such as 01.3,02.1")
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
    if not folder.is_dir() and folder.suffix.lower() != ".zip":
        raise UserError(f"{folder}: expected a folder with notebooks, or a .zip, found none")
    points = table.with_name("points.csv")
    check_places(str(points))
    check_apart(str(table), str(points))
    from treant_viz.core.serial import write_whole
    from treant_viz.course.grading.grade import grade
    from treant_viz.course.grading.points import points_csv
    from treant_viz.course.grading.report import report
    from treant_viz.course.grading.submission import NotebookLimits
    from treant_viz.long_work import Bar

    tell, limits = Bar("notebooks"), NotebookLimits(60.0 * args.minutes, float(args.memory))
    asked = _asked(args.exercises)
    try:
        for done, total, rows in grade(folder, table, limits, args.jobs, asked):
            tell(done, total)
            write_whole(page, report(rows, asked))
            write_whole(points, points_csv(rows, asked))
    except (ValueError, OSError) as error:
        raise UserError(error) from error
    print(f"wrote {table}, {points} and {page}")


def _asked(keys: str | None) -> list[str]:
    from treant_viz.course.exercises import every

    asked = [key.strip() for key in keys.split(",")] if keys is not None else []
    if unknown := [key for key in asked if key not in every()]:
        raise UserError(f"--exercises: expected keys such as 01.3,02.1, got {', '.join(map(repr, unknown))}")
    return asked


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
