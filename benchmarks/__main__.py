"""`python -m benchmarks list | run NAME [--quick] [--seeds 0 1 2] [--again] | table | report`."""

from __future__ import annotations

import argparse
import pkgutil
from importlib import import_module
from types import ModuleType

from benchmarks import studies
from benchmarks.core import QUICK_RESULTS, Store, run_jobs


def benchmark_names() -> list[str]:
    names = [module.name for module in pkgutil.iter_modules(studies.__path__)]
    return sorted(name for name in names if not name.startswith("_"))


def load(name: str) -> ModuleType:
    if name not in benchmark_names():
        msg = f"There is no benchmark called {name!r}; known are {benchmark_names()}."
        raise SystemExit(msg)
    return import_module(f"benchmarks.studies.{name}")


def run(name: str, quick: bool, seeds: list[int] | None, again: bool, store: Store) -> str:
    module = load(name)
    rows = run_jobs(name, module.jobs(quick, seeds), store, quick, again)
    return f"## {module.TITLE}\n\n{module.table(rows)}\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="the benchmarks there are")
    commands.add_parser("table", help="the tables of all rows made so far")
    commands.add_parser("report", help="write RESULTS.md and its figures from all rows made so far")
    runner = commands.add_parser("run", help="make the rows of one benchmark, or of 'all'")
    runner.add_argument("name")
    runner.add_argument("--quick", action="store_true", help="small sizes, a minute or so")
    runner.add_argument("--seeds", type=int, nargs="+", help="instead of the reported ones")
    runner.add_argument("--again", action="store_true", help="make rows anew that exist")
    chosen = parser.parse_args(arguments)
    store = Store()
    if chosen.command == "list":
        for name in benchmark_names():
            print(f"{name}: {load(name).TITLE}")
    elif chosen.command == "table":
        for name in benchmark_names():
            rows = store.rows(name, quick=False)
            if rows:
                print(f"## {load(name).TITLE}\n\n{load(name).table(rows)}\n")
    elif chosen.command == "report":
        from benchmarks.reporting.page import write

        print(write(store))
    else:
        store = Store(QUICK_RESULTS) if chosen.quick else store
        for name in benchmark_names() if chosen.name == "all" else [chosen.name]:
            print(run(name, chosen.quick, chosen.seeds, chosen.again, store))


if __name__ == "__main__":
    main()
