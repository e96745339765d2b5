"""The subcommand that reruns the paper's evaluation, and goes beyond it."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from treant_viz.cli.command import UserError, make_folder, subcommand, whole


@subcommand
def experiments(commands: Any) -> None:
    parser = commands.add_parser(
        "experiments", help="rerun the paper's evaluation; goes on where it was stopped"
    )
    add = parser.add_argument
    add(
        "--dataset",
        nargs="+",
        default=["census", "wine", "credit"],
        choices=("census", "wine", "credit"),
        metavar="NAME",
    )
    add("--protocol", nargs="+", default=["authors"], choices=("paper", "authors"), metavar="NAME",
        help="authors: what produced the published numbers (default); paper: what the text says")  # fmt: skip
    add("--methods", nargs="+", metavar="NAME", help="default: all; a wrong name lists them")
    add("--budgets", nargs="+", type=whole(0), metavar="K", help="training budgets (default: the paper's)")
    add("--seeds", nargs="+", type=whole(0), default=[0], metavar="N", help="default: 0")
    add(
        "--jobs",
        type=whole(1),
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes (default: one a core)",
    )
    add("--dask", metavar="ADDRESS", help="run on the workers of this Dask scheduler, tcp://host:port")
    add(
        "--out",
        default="figures/results",
        metavar="DIR",
        help="where results are kept (default: figures/results)",
    )
    add(
        "--effects",
        action="store_true",
        help="also change one thing at a time between the text and what was run",
    )
    add(
        "--distinct",
        action="store_true",
        help="without validation and test rows that training knows already; results go to DIR/distinct",
    )
    add("--quick", action="store_true", help="wine, few trees, few rows, into DIR/quick: about a minute")
    parser.set_defaults(run=run_experiments)


def run_experiments(args: argparse.Namespace) -> None:
    from treant_viz.experiments import jobs, schema
    from treant_viz.experiments.effects import run_effects
    from treant_viz.experiments.store import Store

    if wrong := [m for m in args.methods or () if m not in schema.METHODS]:
        known = "; ".join(f"{name}: {m.what}" for name, m in schema.METHODS.items())
        raise UserError(f"--methods: unknown method {wrong[0]!r}. There are {known}")
    folder, names, scale = Path(args.out), args.dataset, schema.QUICK if args.quick else schema.FULL
    if args.quick:
        folder, names = folder / "quick", ["wine"]
    if args.distinct:
        folder, scale = folder / "distinct", replace(scale, distinct=True)
    make_folder(folder)
    todo = jobs.plan(names, args.protocol, args.methods, args.budgets, args.seeds)
    try:
        made = jobs.run(todo, Store(folder), scale, args.jobs, jobs.print_progress, args.dask)
        if args.effects:
            run_effects(Store(folder), scale)
    except (ValueError, ImportError) as error:
        raise UserError(error) from error
    print(f"{made} models trained, {len(todo) - made} were there already; results in {folder}")
