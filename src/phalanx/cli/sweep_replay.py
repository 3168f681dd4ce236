"""``phalanx sweep replay``: one case of a sweep again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts, named_texts
from phalanx.cli import console
from phalanx.cli.extras import need
from phalanx.cli.outputs import Writes
from phalanx.cli.serving import Serving
from phalanx.cli.sweep_status import StorePath

if TYPE_CHECKING:
    from phalanx.distribute.sweeps.chunk import Chunk
    from phalanx.distribute.sweeps.store import Store
    from phalanx.distribute.sweeps.study import Study
    from phalanx.mechanism import Mechanism
    from phalanx.simulation.record.recording import Recording

SHOWN = 8  # numbers of a vector


def sweep_replay(
    store: StorePath,
    *,
    case: Annotated[int, typer.Option(min=0, help="Number of the case.")],
    study: Annotated[
        str | None,
        typer.Option(
            metavar="STUDY",
            help="The study that made the store; as noted in it.",
            show_default=False,
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="Run the function that the noted study names; its name is printed."
        ),
    ] = False,
    record: Annotated[
        Path | None,
        Writes((".mcap",)),
        typer.Option(help="Write the run (.mcap) and show nothing.", show_default=False),
    ] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Print what was varied and what came out; no viewer.")
    ] = False,
    serving: Serving,
) -> None:
    """Run one case again, alone: print what comes out, and show it in the browser.

    The study must still be what made the store. Results that differ from those in the store are
    printed. A store is data: a function that its study names is imported only if you name the study
    yourself (--study), or trust the store (--trust).

    phalanx sweep replay out.zarr --case 17

    phalanx sweep replay out.zarr --case 17 --record run.mcap

    phalanx sweep replay out.zarr --case 17 --study study.toml
    """
    need("phalanx sweep-replay", "cluster")
    need("showing a case", "view", wanted=record is None and not numbers)
    from phalanx.distribute.sweeps.store import Store
    from phalanx.distribute.sweeps.study_files.noted import study_of_store

    found = Store.open(store)
    if case >= found.cases:
        raise InvalidInput(f"--case {case}: {store} has cases 0 to {found.cases - 1}.")
    with console.saying_warnings():
        _, whole = study_of_store(found, study, trust=trust)
    number = case // found.cut
    why = found.damage(number) if number in found.done else None
    if why is not None:
        console.say_warning(f"{why} What is printed here is computed anew.")
    again = whole.of(range(case, case + 1))
    _tell(found, whole, case, again, is_whole=why is None)
    if numbers:
        return
    recording = _recording(whole, case, record)
    if recording is None:
        console.err().print("This study runs no machine over time: there is nothing to play.")
    elif record is not None:
        console.err().print(f"Recording in {record}.", soft_wrap=True)
    else:
        _show(whole, recording, serving)


def _tell(store: Store, study: Study, case: int, again: Chunk, *, is_whole: bool) -> None:
    """What the case was, what came out, and whether the store has the same."""
    import numpy as np

    values = study.values(range(case, case + 1))
    rows = {name: _written(array[0]) for name, array in values.items()}
    rows |= {name: _written(array[0]) for name, array in again.results.items() if array.ndim < 3}
    console.say(Facts([named_texts(f"case {case} of {store.path}", rows)]))
    for reason in again.failures.values():
        console.say_warning(f"it fails: {reason}")
    if case // store.cut not in store.done:
        console.err().print("The store does not have this case yet.")
        return
    if not is_whole:
        return
    row, number = case % store.cut, case // store.cut
    differ = [
        name
        for name, array in again.results.items()
        if not np.array_equal(
            array[0], store.rows(name, number)[row], equal_nan=array.dtype.kind == "f"
        )
    ]
    if differ:
        console.say_warning(
            f"the store has other bits of {', '.join(differ)}: another processor made it."
        )
    else:
        console.err().print("The store has the same, to the last bit.")


def _written(value: Any) -> str:
    import numpy as np

    flat = np.ravel(value).tolist()
    words = [x if isinstance(x, str) else f"{x:.6g}" for x in flat[:SHOWN]]
    return ", ".join(words) + (", …" if len(flat) > SHOWN else "")


def _recording(study: Study, case: int, path: Path | None) -> Recording | None:
    """The case over time; up to where it failed. None where nothing moves."""
    from phalanx.simulation.run.failures import SimulationError

    alone = getattr(study.run, "alone", None)
    if alone is None:
        return None
    try:
        made: Recording = alone(study.values(range(case, case + 1)), path)
    except SimulationError as error:
        console.say_warning(str(error))
        return error.recording
    return made


def _show(study: Study, recording: Recording, serving: Serving) -> None:
    from phalanx.cli.serving import serve
    from phalanx.view.replay.replay import Replay
    from phalanx.view.viewer.viewer import Viewer

    machine = _machine(study.run)
    with (
        Viewer(machine, host=serving.host, port=serving.port, sliders=False) as viewer,
        Replay(viewer, recording, loop=True) as player,
    ):
        player.playback.play()
        serve(viewer, serving.opened)


def _machine(run: Any) -> Mechanism:
    """What moves: the machine of a rollout, or of a scenario when it ends."""
    from phalanx.distribute.sweeps.simulation_run import Simulation
    from phalanx.simulation.run.joint_release import machine_at_end
    from phalanx.simulation.scenario.reader import read_scenario

    if isinstance(run, Simulation):
        scenario = read_scenario(run.scenario)
        return machine_at_end(scenario.mechanism, scenario.events)
    machine: Mechanism = run.layout.mechanism
    return machine
