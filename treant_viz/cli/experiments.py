"""The subcommand that reruns the paper's evaluation, and goes beyond it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treant_viz.cli.command import UserError, make_folder, subcommand, whole

if TYPE_CHECKING:
    from treant_viz.experiments.schema import Scale
    from treant_viz.experiments.store import Store

CLASSES, NUMBERS = ("census", "wine", "credit"), ("quality", "diabetes")


@subcommand
def experiments(commands: Any) -> None:
    parser = commands.add_parser(
        "experiments", help="rerun the paper's evaluation; goes on where it was stopped"
    )
    add = parser.add_argument
    of = f"of {', '.join(CLASSES)}; with --regression of {', '.join(NUMBERS)} (default: all)"
    add("--dataset", nargs="+", choices=(*CLASSES, *NUMBERS), metavar="NAME", help=of)
    add("--protocol", nargs="+", default=["authors"], choices=("paper", "authors"), metavar="NAME",
        help="authors: what produced the published numbers (default); paper: what the text says")  # fmt: skip
    add("--methods", nargs="+", metavar="NAME", help="default: all; a wrong name lists them")
    add("--budgets", nargs="+", type=whole(0), metavar="K", help="training budgets (default: the paper's)")
    add("--seeds", nargs="+", type=whole(0), default=[0], metavar="N", help="default: 0")
    cores = os.cpu_count() or 1
    add("--jobs", type=whole(1), default=cores, metavar="N", help="processes (default: one a core)")
    add("--dask", metavar="ADDRESS", help="run on the workers of this Dask scheduler, tcp://host:port")
    out = "figures/results"
    add("--out", default=out, metavar="DIR", help=f"where results are kept (default: {out})")
    _add_switches(parser)
    parser.set_defaults(run=run_experiments)


def _add_switches(parser: argparse.ArgumentParser) -> None:
    """What is asked for instead of, or on top of, the paper's evaluation."""
    add = partial(parser.add_argument, action="store_true")
    add("--effects", help="also change one thing at a time between the text and what was run")
    add(
        "--distinct",
        help="without validation and test rows that training knows already; results go to DIR/distinct",
    )
    add(
        "--regression",
        help="tables whose labels are numbers: errors under attack, into regression-NAME.csv",
    )
    add(
        "--mixed",
        help="forests of standard and robust trees, from none to all robust, into mixed.csv",
    )
    add("--quick", help="wine, few trees, few rows, into DIR/quick: about a minute")


def run_experiments(args: argparse.Namespace) -> None:
    from treant_viz.experiments import jobs
    from treant_viz.experiments.effects import run_effects
    from treant_viz.experiments.store import Store

    names, protocols = _check(args)
    folder, scale = _where(args)
    make_folder(folder)
    if args.mixed:
        run_mixed(args, names, Store(folder), scale)
        return
    todo = jobs.plan(names, protocols, args.methods, args.budgets, args.seeds)
    try:
        made = jobs.run(todo, Store(folder), scale, args.jobs, jobs.print_progress, args.dask)
        if args.effects:
            run_effects(Store(folder), scale)
    except (ValueError, ImportError) as error:
        raise UserError(error) from error
    print(f"{made} models trained, {len(todo) - made} were there already; results in {folder}")


def run_mixed(args: argparse.Namespace, names: Sequence[str], store: Store, scale: Scale) -> None:
    """Every mixture of every data set and seed."""
    from treant_viz.experiments import jobs, mixed

    try:
        made, total = mixed.run_mixed(names, args.seeds, store, scale, args.jobs, jobs.print_progress)
    except (ValueError, ImportError) as error:
        raise UserError(error) from error
    print(f"{made} forests taken apart, {total - made} were there already; results in {store.folder}")


def _check(args: argparse.Namespace) -> tuple[Sequence[str], Sequence[str]]:
    """The data sets and protocols asked for; options that do not go together are refused."""
    from treant_viz.experiments import schema

    protocols = (schema.REGRESSION,) if args.regression else args.protocol
    methods = schema.methods(protocols[0])
    if wrong := [m for m in args.methods or () if m not in methods]:
        known = "; ".join(f"{name}: {m.what}" for name, m in methods.items())
        raise UserError(f"--methods: unknown method {wrong[0]!r}. There are {known}")
    if args.regression and (args.distinct or args.effects):
        raise UserError("--regression does without --distinct (it always measures both) and --effects")
    if args.mixed and not _alone(args):
        raise UserError("--mixed goes with --dataset, --seeds, --jobs, --out and --quick only")
    there = NUMBERS if args.regression else ("wine",) if args.quick else CLASSES
    if wrong := [] if args.quick else [d for d in args.dataset or () if d not in there]:
        raise UserError(f"--dataset: {wrong[0]} is not among {', '.join(there)}")
    return (there if args.quick else args.dataset or there), protocols


def _alone(args: argparse.Namespace) -> bool:
    """Is nothing asked for that is of no account to mixed forests?"""
    others = (args.regression, args.distinct, args.effects, args.methods, args.budgets, args.dask)
    return not any(others) and args.protocol == ["authors"]


def _where(args: argparse.Namespace) -> tuple[Path, Scale]:
    """The folder of the results, and how much of everything."""
    from treant_viz.experiments import schema

    full, quick = (schema.FULL_MIXED if args.mixed else schema.FULL), schema.QUICK
    if args.regression:
        full, quick = schema.FULL_REGRESSION, schema.QUICK_REGRESSION
    folder, scale = (Path(args.out) / "quick", quick) if args.quick else (Path(args.out), full)
    return (folder / "distinct", replace(scale, distinct=True)) if args.distinct else (folder, scale)
