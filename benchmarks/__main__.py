"""`python -m benchmarks list | run NAME [--quick] [--seeds 0-4] [--again] | table | report | freeze`."""

from __future__ import annotations

import argparse
import pkgutil
from importlib import import_module
from inspect import signature
from types import ModuleType

from benchmarks import studies
from benchmarks.core import QUICK_RESULTS, Store, run_jobs
from benchmarks.packed import PackedStore
from benchmarks.worlds import REPORTED, TUNING
from benchmarks.worlds.grid import freeze


def benchmark_names() -> list[str]:
    names = [module.name for module in pkgutil.iter_modules(studies.__path__)]
    return sorted(name for name in names if not name.startswith("_"))


def load(name: str) -> ModuleType:
    if name not in benchmark_names():
        msg = f"There is no benchmark called {name!r}; known are {benchmark_names()}."
        raise SystemExit(msg)
    return import_module(f"benchmarks.studies.{name}")


def run(name: str, chosen: argparse.Namespace) -> str:
    """Make the missing rows of one benchmark, and its table of the rows that were asked for."""
    module = load(name)
    asked = {"methods": chosen.methods, "rivers": chosen.rivers}
    special = {option: value for option, value in asked.items() if value}
    for option in special.keys() - signature(module.jobs).parameters.keys():
        msg = f"{name!r} takes no --{option}: leave it out."
        raise SystemExit(msg)
    jobs = module.jobs(chosen.quick, seeds_of(chosen.seeds), **special)
    store = Store(QUICK_RESULTS) if chosen.quick else store_of(module)
    rows = run_jobs(name, jobs, store, chosen.quick, chosen.again, chosen.stale)
    return f"## {module.TITLE}\n\n{module.table(rows)}\n"


def store_of(module: ModuleType) -> Store:
    """Where the rows of a benchmark are kept: one file for most, one of its own for the worlds."""
    own = getattr(module, "STORE", None)
    return own if isinstance(own, Store) else Store()


def every_store() -> list[Store]:
    """The files that hold the rows of all benchmarks, each once."""
    found = [Store(), *(store_of(load(name)) for name in benchmark_names())]
    return list({store.path: store for store in found}.values())


def seeds_of(words: list[str] | None) -> list[int] | None:
    """Seeds by number, as a range, or all of one kind: `3`, `1000-1004`, `tuning`, `reported`.

    >>> seeds_of(["3", "5-7"])
    [3, 5, 6, 7]
    """
    if words is None:
        return None
    named = {"tuning": TUNING, "reported": REPORTED}
    seeds: list[int] = []
    for word in words:
        first, _, last = word.partition("-")
        seeds += named[word] if word in named else range(int(first), int(last or first) + 1)
    return seeds


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="the benchmarks there are")
    commands.add_parser("table", help="the tables of all rows made so far")
    commands.add_parser("report", help="write RESULTS.md and its figures from all rows made so far")
    commands.add_parser("freeze", help="store the hashes of worlds that were added")
    runner = commands.add_parser("run", help="make the rows of one benchmark, or of 'all'")
    runner.add_argument("name")
    runner.add_argument("--quick", action="store_true", help="small sizes, a minute or so")
    runner.add_argument("--seeds", nargs="+", help="3, 0-4, tuning or reported instead of all reported ones")
    runner.add_argument("--methods", nargs="+", help="of the worlds: hosts, ours, rules, refined, or names")
    runner.add_argument("--rivers", help="of elbe_main: the East German discharge file of CausalRivers")
    runner.add_argument("--again", action="store_true", help="make rows anew that exist")
    runner.add_argument(
        "--stale", action="store_true", help="make rows of ours anew that an older engine made"
    )
    chosen = parser.parse_args(arguments)
    if chosen.command == "list":
        for name in benchmark_names():
            print(f"{name}: {load(name).TITLE}")
    elif chosen.command == "table":
        for name in benchmark_names():
            rows = store_of(load(name)).rows(name, quick=False)
            if rows:
                print(f"## {load(name).TITLE}\n\n{load(name).table(rows)}\n")
    elif chosen.command == "report":
        from benchmarks.hosts import graphs
        from benchmarks.reporting import trust, walk
        from benchmarks.reporting.evidence import Evidence
        from benchmarks.reporting.page import write

        for store in every_store():
            if isinstance(store, PackedStore):
                store.pack()
        graphs.pack()
        walk.write(Evidence.stored(every_store()))
        print(write(every_store(), trust_page=trust.PAGE))
    elif chosen.command == "freeze":
        print(f"{freeze()} entries of the grid are new.")
    else:
        for name in benchmark_names() if chosen.name == "all" else [chosen.name]:
            print(run(name, chosen))


if __name__ == "__main__":
    main()
