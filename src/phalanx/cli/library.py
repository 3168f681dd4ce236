"""``phalanx library``: names of models."""

from __future__ import annotations

from textwrap import fill

from phalanx.base.facts import Facts, TextTable
from phalanx.cli import console
from phalanx.cli.options import Json


def library(
    json: Json = False,
) -> None:
    """List the names of the models in the library.

    Examples:
        phalanx library
        phalanx info stanford
    """
    from phalanx.base.robots import ROBOT, ROBOTS_PACKAGE, robot_files
    from phalanx.mechanism import library as machines
    from phalanx.mechanism.read.named import ROBOTS_EXTRA

    built = {name: machines.by_name(name) for name in machines.names()}
    robots = sorted(robot_files())
    rows = []
    for name, machine in built.items():
        what = console.without_markup((machines.MACHINES[name].__doc__ or "").partition("\n")[0])
        sizes = (len(machine.bodies), machine.nq, machine.nv)
        rows.append([name, *map(str, sizes), what])
    heads = ["bodies", "nq", "nv"]
    table = TextTable("library", ["name"], heads, rows, wrapped=["what it is"], gap=1)
    values = {"library": list(built), "robots": [ROBOT + name for name in robots]}
    if robots:
        last = [
            f"{len(robots)} robots of {ROBOTS_PACKAGE}, as in phalanx info robot:panda:",
            fill(", ".join(robots), console.out().width),
        ]
    else:
        last = [
            f"Install {ROBOTS_PACKAGE} (extra '{ROBOTS_EXTRA}') for about 70 robots, used as "
            f"{ROBOT}NAME."
        ]
    console.print_facts(Facts([table, "", *last], values), json)
