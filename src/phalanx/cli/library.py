"""``phalanx library``: the machines that need no file."""

from __future__ import annotations

from phalanx.base.facts import Facts, TextTable
from phalanx.cli import console
from phalanx.cli.options import Json


def library(
    json: Json = False,
) -> None:
    """List the models that have a name.

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
        what = console.plain((machines.MACHINES[name].__doc__ or "").partition("\n")[0])
        sizes = (len(machine.bodies), machine.nq, machine.nv)
        rows.append([name, *map(str, sizes), what])
    heads = ["bodies", "nq", "nv"]
    table = TextTable("library", ["name"], heads, rows, wrapped=["what it is"], gap=1)
    values = {"library": list(built), "robots": [ROBOT + name for name in robots]}
    console.say(Facts([table], values), json)
    if json:
        return
    out = console.out()
    if robots:
        out.print(f"\n{len(robots)} robots of {ROBOTS_PACKAGE}, as in phalanx info robot:panda:")
        out.print(", ".join(robots))
    else:
        out.print(
            f"\nInstall {ROBOTS_PACKAGE} (extra '{ROBOTS_EXTRA}') for some 70 robots as "
            f"{ROBOT}NAME."
        )
