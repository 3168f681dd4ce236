"""``phalanx library``: the machines that need no file."""

from __future__ import annotations

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
    if json:
        console.say_json({"library": list(built), "robots": [ROBOT + name for name in robots]})
        return
    out = console.out()
    table = console.table("library", ("name",), ("bodies", "nq", "nv"))
    table.padding = (0, 1, 0, 0)
    table.add_column("what it is", overflow="fold")
    for name, machine in built.items():
        what = console.plain((machines.MACHINES[name].__doc__ or "").partition("\n")[0])
        sizes = (len(machine.bodies), machine.nq, machine.nv)
        table.add_row(name, *map(str, sizes), what)
    out.print(table)
    if robots:
        out.print(f"\n{len(robots)} robots of {ROBOTS_PACKAGE}, as in phalanx info robot:panda:")
        out.print(", ".join(robots))
    else:
        out.print(
            f"\nInstall {ROBOTS_PACKAGE} (extra '{ROBOTS_EXTRA}') for some 70 robots as "
            f"{ROBOT}NAME."
        )
