"""An excavator, faster than time: the source's experiment, then a trench; part of ``make demo``.

Needs nothing beyond the package. Leaves ``out/demo_excavator.png`` and a report of each run.
"""

from pathlib import Path

import phalanx as px
from phalanx.machines.excavator.figures import machine
from phalanx.machines.excavator.summary_figures import ExcavatorSummary
from phalanx.view import save
from phalanx.view.reports.report import write_report

OUT = Path("out")


def work(name: str) -> ExcavatorSummary:
    """Run a scenario, say what the machine did, and leave a report."""
    scenario = px.read_scenario(name)
    print(f"\n{name}: {scenario.description}")
    recording = scenario.run(progress=True)
    speed = recording.settings["real_time_factor"]
    print(f"  {recording.duration:g} s of work, {speed:.3g} times faster than the machine")
    trends = ExcavatorSummary(recording)
    for what, text in trends.described().items():
        print(f"  {what}: {text}")
    print(f"  report in {write_report(recording, OUT / name)}")
    return trends


def main() -> None:
    """Reach out in the air, then dig."""
    work("excavator-resolved")
    trench = work("excavator-trench")
    OUT.mkdir(exist_ok=True)
    print(f"\npicture in {save(machine(trench), OUT / 'demo_excavator.png')}")
    print("at its sticks, in the browser:\n  .venv/bin/phalanx excavator")


if __name__ == "__main__":
    main()
