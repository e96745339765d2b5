"""Do the tests notice? Random small changes to the core and the attacks, each run against the tests that
should fail.

    python -m tests.mutation --mutants 300 --seed 0 --jobs 2 --out mutation.jsonl

Everything happens in copies of the working tree. Each mutant meets the quick tests for its module, up to the
first failure; with --whole, what survives them meets the rest of the suite too (without browsers, notebooks
and commands). The file named by --out takes one line a mutant: a run that was interrupted goes on where it
stopped, and --again tries the survivors once more. Mutants that no test can kill are listed in
`equivalent_mutants.toml`, each with the reason; they are passed over.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tests.mutant_runs import LIMIT, ROOT, Bench, preload
from tests.mutants import Mutant, mutants

EQUIVALENT = ROOT / "tests" / "equivalent_mutants.toml"
CORE = ["treant_viz/core/*.py", "treant_viz/core/attacker/*.py", "treant_viz/core/solvers/*.py"]
ATTACKS = ["treant_viz/attacks/*.py"]
PASSED_OVER = ["treant_viz/core/serial.py", "treant_viz/core/attacker/published.py"]
NEAREST = {
    "rules": ["core/rules", "core/once", "core/reach"], "reach": ["core/reach", "core/once"],
    "on_table": ["core/reach"], "checks": ["estimators/mixed"],
    "algorithms": ["core/algorithms"], "constraints": ["core/constraints"], "binary": ["core/exact"],
    "real": ["core/exact"], "reference": ["core/fast_core"], "points": ["attacks/row_problem"],
    "batch": ["attacks/reachable_leaves"], "cheapest": ["attacks/evasion"], "decisions": ["attacks/evasion"],
}  # fmt: skip
CORE_TESTS = [
    "core/toy", "core/algorithms", "core/constraints", "core/candidates", "core/losses",
    "core/partition", "core/exact", "core/slsqp", "properties/traps",
    "core/table", "core/tree", "core/reach", "core/rules", "trace/trace", "trace/trace_files", "core/solvers",
    "core/published", "properties/bad_input", "properties/bad_options", "estimators/weights",
]  # fmt: skip
ATTACK_TESTS = [
    "attacks/search", "attacks/row_problem", "attacks/moves", "attacks/cell_costs", "attacks/all_rows",
    "attacks/limits", "attacks/tables", "attacks/result", "attacks/attack", "attacks/agreement",
    "ensembles/sklearn", "ensembles/lightgbm", "ensembles/own_trees", "evaluation", "core/toy",
    "properties/traps", "properties/bad_input", "properties/bad_options",
]  # fmt: skip
LEFT_OUT = [
    "*/browser/*",
    "*/notebooks/*",
    "*_cli.py",
    "*_command.py",
    "*_package.py",
    "*_bench.py",
    "*_long_work.py",
]


def drawn(number: int, seed: int, only: str) -> tuple[list[Mutant], int]:
    """The mutants of a seed, at most one a site, and how many equivalent ones were passed over.

    Each has a place in a line by its own text alone, so that a change elsewhere moves nothing.
    """
    paths = sorted({path for glob in CORE + ATTACKS for path in ROOT.glob(glob) if fnmatch(path.name, only)})
    paths = [path for path in paths if str(path.relative_to(ROOT)) not in PASSED_OVER]
    sites = [min(site, key=lambda m: place(m, seed)) for path in paths for site in mutants(path, ROOT)]
    known, found, passed = equivalent(), {}, 0
    for mutant in sorted(sites, key=lambda m: place(m, seed)):
        if len(found) == number:
            break
        passed += mutant.key in known
        if mutant.key not in known:
            found[mutant.key] = mutant
    return list(found.values()), passed


def place(mutant: Mutant, seed: int) -> bytes:
    return hashlib.sha256(repr((seed, mutant.key)).encode()).digest()


def equivalent() -> set[tuple[str, ...]]:
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else {}
    return {(m["module"], m["scope"], m["before"], m["after"]) for m in listed.get("mutant", [])}


def quick_files(path: str) -> list[str]:
    """The module's own examples and tests, then those of the core or of the attacks, the nearest first."""
    module = Path(path).stem
    family = ATTACK_TESTS if any(fnmatch(path, glob) for glob in ATTACKS) else CORE_TESTS
    own = f"{Path(path).parts[1]}/{module}"
    names = dict.fromkeys([own, *NEAREST.get(module, []), *family])
    files = [str(Path("tests", name).with_name(f"test_{Path(name).name}.py")) for name in names]
    return [path, *(file for file in files if (ROOT / file).exists())]


def other_files(path: str) -> list[str]:
    """The rest of the suite."""
    files = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "tests").rglob("test_*.py"))
    return [f for f in files if f not in quick_files(path) and not any(fnmatch(f, glob) for glob in LEFT_OUT)]


def control(bench: Bench, files: Iterable[str]) -> dict[str, float]:
    """Run files on the unchanged tree: they must pass. Returns how long each mutant may compute in each."""
    files = list(dict.fromkeys(files))
    bench.start(files, {}, None)
    os.waitpid(bench.pid, 0)
    outcome = bench.finish()
    if outcome["by"]:
        sys.exit(f"the unchanged tree fails: {outcome['by']}")
    print(f"control: {len(files)} files passed in {sum(outcome['seconds'].values()):.0f} s", flush=True)
    return {file: 10 + 3 * seconds for file, seconds in outcome["seconds"].items()}


def outcomes(
    benches: list[Bench], tasks: Sequence[tuple[Mutant, list[str]]], limits: Mapping[str, float]
) -> Iterator[tuple[Mutant, dict[str, Any]]]:
    """Each mutant with its outcome, as they come."""
    waiting = list(reversed(tasks))
    while waiting or any(bench.pid for bench in benches):
        for bench in benches:
            if waiting and not bench.pid:
                mutant, files = waiting.pop()
                bench.start(files, limits, mutant)
        pid, _ = os.waitpid(-1, 0)
        for bench in benches:
            if bench.pid == pid:
                outcome = bench.finish()
                yield bench.mutant, {"by": outcome["by"], "seconds": round(time.monotonic() - bench.begun, 1)}


def recorded(out: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """What the file says of each mutant; the last line counts."""
    lines = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    return {(Path(r["path"]).name, r["scope"], r["before"], r["after"]): r for r in lines}


def judge(benches: list[Bench], todo: list[Mutant], out: Path, files_of: Any, *, whole: bool) -> None:
    """Run the mutants and add a line each to the file."""
    if not todo:
        return
    limits = control(benches[0], (file for m in todo for file in files_of(m.path)))
    tasks = [(m, files_of(m.path)) for m in todo]
    with out.open("a") as file:
        for n, (m, outcome) in enumerate(outcomes(benches, tasks, limits), 1):
            record = {k: v for k, v in m._asdict().items() if k != "source"} | outcome | {"whole": whole}
            print(json.dumps(record), file=file, flush=True)
            print(f"{n}/{len(todo)} {m.path}:{m.line} {outcome['by'] or 'SURVIVED: ' + m.after}", flush=True)


def summary(chosen: list[Mutant], passed: int, done: Mapping[tuple[str, ...], dict[str, Any]]) -> str:
    records = [done[m.key] for m in chosen if m.key in done]
    table: dict[str, Counter[str]] = {}
    for r in records:
        fate = "timeout" if r["by"] == LIMIT else "killed" if r["by"] else "survived"
        table.setdefault(Path(r["path"]).name, Counter())[fate] += 1
    lines = [f"{name}: {dict(fates)}" for name, fates in sorted(table.items())]
    lines += [f"survived: {r['path']}:{r['line']} in {r['scope']}: {r['before']} -> {r['after']}"
              for r in records if not r["by"]]  # fmt: skip
    total: Counter[str] = sum(table.values(), Counter())
    caught = total["killed"] + total["timeout"]
    lines += [
        f"listed as equivalent, but killed: {key}" for key in equivalent() if done.get(key, {}).get("by")
    ]
    share, seconds = 100 * caught / max(len(records), 1), sum(r["seconds"] for r in records)
    counts = f"{len(records)} mutants, {passed} equivalent ones passed over: {dict(total)}"
    return "\n".join([*lines, f"{counts}, {share:.1f} % killed in {seconds:.0f} s"])


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("mutation.jsonl"))
    parser.add_argument("--only", default="*", help="names of modules, such as 'attack_*'")
    parser.add_argument("--again", action="store_true", help="try the recorded survivors once more")
    parser.add_argument("--whole", action="store_true", help="survivors meet the rest of the suite")
    return parser.parse_args()


def main() -> None:
    how = options()
    preload()
    chosen, passed = drawn(how.mutants, how.seed, how.only)
    done = recorded(how.out)
    todo = [m for m in chosen if m.key not in done or (how.again and not done[m.key]["by"])]
    with tempfile.TemporaryDirectory() as folder:
        benches = [Bench(Path(folder, str(i))) for i in range(how.jobs)]
        judge(benches, todo, how.out, quick_files, whole=False)
        done = recorded(how.out)
        left = [m for m in chosen if how.whole and not done[m.key]["by"] and not done[m.key]["whole"]]
        judge(benches, left, how.out, other_files, whole=True)
    print(summary(chosen, passed, recorded(how.out)))


if __name__ == "__main__":
    main()
