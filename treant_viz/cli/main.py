"""The command `treant-viz`.

A subcommand is one function, marked `@subcommand`, that adds its parser and says what to run. What is heavy
is imported when it runs, so that `treant-viz --help` answers at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import treant_viz.cli.experiments
import treant_viz.cli.pages
import treant_viz.cli.teaching  # noqa: F401  (the same)
from treant_viz import __version__
from treant_viz.cli.command import (
    SUBCOMMANDS,
    UserError,
    as_typed,
    check_apart,
    check_places,
    hush,
    reason_of,
    speak_plainly,
    subcommand,
    whole,
)

if TYPE_CHECKING:
    import pandas as pd

    from treant_viz.core.attacker.rules import Attacker
    from treant_viz.core.tree import Tree
    from treant_viz.datasets import Toy
    from treant_viz.experiments.toy import ToyPanel

BENCHMARKS = (
    "tree",
    "solver",
    "jobs",
    "memory",
    "scaling",
    "import",
    "attack",
    "boosting",
    "pictures",
    "explorers",
    "regressor",
    "thresholds",
    "boosted",
)


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    speak_plainly()
    args = make_parser().parse_args(argv)
    try:
        code = int(args.run(args) or 0)
        print(end="", flush=True)
        return code
    except BrokenPipeError:  # the reader (head, less) has seen enough
        hush()
        return 0
    except KeyboardInterrupt:
        print(f"treant-viz {args.command}: stopped", file=sys.stderr)
        hush()
        return 130
    except (UserError, OSError) as error:
        words = reason_of(error) if isinstance(error, OSError) else str(error)
        print(f"treant-viz {args.command}: {' '.join(words.split())}", file=sys.stderr)
        hush()
        return 2


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="treant-viz", description="Evasion-aware decision trees, step by step."
    )
    parser.add_argument("--version", action="version", version=f"treant-viz {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for register in SUBCOMMANDS:
        register(commands)
    return parser


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


# toy: the paper's worked example


@subcommand
def toy(commands: Any) -> None:
    parser = commands.add_parser("toy", help="the paper's toy example, step by step")
    parser.add_argument(
        "--solver", choices=("exact", "slsqp"), default="exact", help="how to find the best leaves"
    )
    parser.add_argument("--standard", action="store_true", help="grow as if nobody attacked (Algorithm 1)")
    parser.add_argument("--no-invariance", action="store_true", help="hand no constraints down the tree")
    parser.add_argument("--depth", type=whole(0), metavar="N", help="levels of tests at most")
    parser.set_defaults(run=run_toy)


def run_toy(args: argparse.Namespace) -> None:
    from treant_viz.datasets import load_toy
    from treant_viz.experiments.toy import grown, toy_panels, toy_trace

    data = load_toy()
    heading("The data and the attacker")
    print(data.X.assign(y=data.y).T.to_string(float_format="{:g}".format))
    print(data.attacker)
    aware = None if args.standard else data.attacker
    trace = toy_trace(data.X, aware, args.solver, args.depth, not args.no_invariance)
    heading(f"Growing {'without' if args.standard else 'with'} the attacker in mind, solver {args.solver!r}")
    print(trace)
    heading("The tree")
    _print_tree(grown(trace), data)
    heading("The paper's panels, and where the algorithm really stops")
    for line in _table([_panel_row(p) for p in toy_panels(args.solver)]):
        print(line)


def _print_tree(tree: Tree, data: Toy) -> None:
    from treant_viz.core.tree import to_text
    from treant_viz.experiments.toy import both_losses

    plain, attacked = both_losses(tree, data.X, data.y, data.attacker)
    print(to_text(tree))
    print(f"loss {plain:.6g}, under attack {attacked:.6g}")


def _panel_row(panel: ToyPanel) -> tuple[str, ...]:
    from treant_viz.core.tree import leaves

    predictions = ", ".join(f"{leaf.prediction:.6g}" for _, leaf in leaves(panel.tree))
    return panel.name, panel.what, predictions, *(f"{x:.6g}" for x in panel.losses)


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    rows = [("", "tree", "leaves, left to right", "L", "L^A"), *rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()


# grow: a tree on the user's own table


@subcommand
def grow(commands: Any) -> None:
    parser = commands.add_parser("grow", help="grow a tree on a table of your own")
    parser.add_argument("csv", metavar="CSV", help="a table with a header; text columns become categories")
    parser.add_argument(
        "--target", type=as_typed, required=True, metavar="COLUMN", help="the column to predict"
    )
    parser.add_argument("--rules", required=True, metavar="JSON", help="the attacker's rules")
    parser.add_argument(
        "--budget", type=float, metavar="K", help="the attacker's budget (default: the rules' own)"
    )
    parser.add_argument(
        "--loss", choices=("log", "sse"), help="default: log for two classes, sse for numbers"
    )
    parser.add_argument(
        "--task", choices=("classify", "regress"), help="default: by the number of different targets"
    )
    parser.add_argument(
        "--max-depth", type=whole(0), default=8, metavar="N", help="levels of tests (default: 8)"
    )
    parser.add_argument(
        "--min-samples-split", type=whole(2), default=20, metavar="N", help="rows (default: 20)"
    )
    parser.add_argument("--out", metavar="JSON", help="write the model here")
    parser.add_argument("--trace", metavar="JSON", help="write here what the algorithm did")
    parser.set_defaults(run=run_grow)


def run_grow(args: argparse.Namespace) -> None:
    from treant_viz.core.tree import to_text
    from treant_viz.datasets.user_files import read_rules, read_table
    from treant_viz.experiments.toy import both_losses

    check_places(args.out, args.trace)
    check_apart(args.csv, args.rules, args.out, args.trace)
    try:
        X, y = read_table(args.csv, args.target)
        attacker = read_rules(args.rules, args.budget)
        model = _model(args, y, attacker).fit(X, y)
        plain, attacked = both_losses(model, X, y, attacker)
        print(attacker, to_text(model.tree_), sep="\n\n")
        print(f"\nloss {plain:.6g}, under attack {attacked:.6g} (sums over {len(y)} rows)")
        for path, write in (
            (args.out, lambda p: model.to_json(p)),
            (args.trace, lambda p: model.trace_.to_json(p)),
        ):
            if path:
                write(path)
                print(f"wrote {path}")
    except (ValueError, TypeError) as error:
        raise UserError(error) from error


def _model(args: argparse.Namespace, y: pd.Series, attacker: Attacker) -> Any:
    from treant_viz.estimators.trees import TreantClassifier, TreantRegressor

    numbers = y.dtype.kind in "iuf"
    regress = args.task == "regress" or (args.task is None and numbers and y.nunique() > 2)
    make = TreantRegressor if regress else TreantClassifier
    loss = args.loss or ("sse" if regress else "log")
    return make(attacker, loss, max_depth=args.max_depth, min_samples_split=args.min_samples_split)


# figures: drawn again from stored results


@subcommand
def figures(commands: Any) -> None:
    parser = commands.add_parser("figures", help="draw the paper's figures and tables from stored results")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="some of them; a wrong name lists all")
    parser.add_argument(
        "--format", default="svg", metavar="LIST", help="svg, pdf, png, divided by commas (default: svg)"
    )
    parser.add_argument("--results", metavar="DIR", help="default: those that come with the package")
    parser.add_argument("--out", default="figures", metavar="DIR", help="where to write (default: figures)")
    parser.set_defaults(run=run_figures)


def run_figures(args: argparse.Namespace) -> None:
    from treant_viz.datasets.shipped import shipped
    from treant_viz.experiments.report.figures import FORMATS, MAKERS, write_figures
    from treant_viz.experiments.store import Store

    formats = [f.strip() for f in args.format.split(",") if f.strip()]
    for what, given, known in (("--only", args.only or (), MAKERS), ("--format", formats, FORMATS)):
        if wrong := [g for g in given if g not in known]:
            raise UserError(f"{what}: unknown {wrong[0]!r}; there are {', '.join(known)}")
    try:
        for path in write_figures(
            Store(args.results or shipped("results")), Path(args.out), args.only, formats
        ):
            print(f"wrote {path}", flush=True)
    except ValueError as error:
        raise UserError(error) from error


# bench: how fast, how much memory


@subcommand
def bench(commands: Any) -> None:
    parser = commands.add_parser("bench", help="measure speed and memory against their bounds")
    parser.add_argument("--quick", action="store_true", help="less of everything: under 30 s")
    parser.add_argument(
        "--only", nargs="+", choices=BENCHMARKS, metavar="NAME", help=f"of {', '.join(BENCHMARKS)}"
    )
    parser.add_argument("--json", metavar="FILE", help="write the numbers here too")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a bound is missed")
    parser.set_defaults(run=run_bench)


def run_bench(args: argparse.Namespace) -> int:
    check_places(args.json)
    from treant_viz.bench import run as bench
    from treant_viz.core import serial

    plan, where = bench.QUICK if args.quick else bench.Workload(), bench.environment()
    print(", ".join(f"{k} {v}" for k, v in where.items()), flush=True)
    results = []
    for result in bench.run(args.only or BENCHMARKS, plan):
        print(result, flush=True)
        results.append(result)
    missed = sum(r.ok is False for r in results)
    print(f"{missed} of {sum(r.ok is not None for r in results)} bounds missed")
    if args.json:
        serial.write(bench.to_dict(results, plan, where), args.json)
    return int(args.strict and missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
