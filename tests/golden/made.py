"""What the golden files hold, made anew: code, plans, a page and a recording, each as text.

Everything comes through public names, so code may move freely behind them. The processor is data:
LLVM is asked for the host by its own functions, and here these name an AVX2 processor with fused
multiply-add, whatever the tests run on.
"""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import casadi as ca
import llvmlite.binding as llvm
import pytest
from mcap.reader import make_reader
from typer.testing import CliRunner

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.cli import app
from phalanx.kernel import host_target

# writes a text, given an empty folder
Maker = Callable[[Path], str]

VARIES = "(varies)"
# of a recording: its numbers, the only ones here that the processor computes
ROWS = "rows"
# of a run, by the clock; and the version, which no release should have to come here for
VARYING_SETTINGS = ("begun", "wall_time", "real_time_factor", "phalanx")


# --- functions ---------------------------------------------------------------------------------


def arm() -> ca.Function:
    """Joint forces of a two-link planar arm."""
    return px.expression(px.inverse_dynamics.recursive, px.library.double_pendulum())


def arm_acceleration() -> ca.Function:
    """Joint accelerations of the same arm: divisions, and more to share."""
    return px.expression(px.forward_dynamics.articulated_body, px.library.double_pendulum())


def elementary() -> ca.Function:
    """Elementary functions, division, comparison and selection, and a matrix of results."""
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y")
    radius = ca.sqrt(x[0] ** 2 + x[1] ** 2 + 1)
    chosen = ca.if_else(x[0] < y, ca.sin(x[0]) / radius, ca.cos(x[0]) * radius)
    bounded = ca.fmin(ca.fmax(x[1], -y), ca.fabs(y))
    angle = ca.atan2(x[1], radius)
    table = ca.blockcat([[chosen, bounded], [angle, ca.sign(x[0]) * ca.floor(y)]])
    return ca.Function("elementary", [x, y], [table, radius], ["x", "y"], ["table", "radius"])


def command(*words: str) -> None:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output


# --- emitted LLVM ------------------------------------------------------------------------------


class Emitted(Exception):
    """A module came to LLVM; it goes no further."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{len(text)} characters of LLVM assembly")
        self.text = text


@contextmanager
def avx2_host() -> Iterator[None]:
    """LLVM sees an AVX2 processor, and gives back what it is asked to assemble."""

    def stop(text: str, *_: Any) -> None:
        raise Emitted(text)

    features = llvm.FeatureMap(dict.fromkeys(("sse2", "avx2", "fma"), True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llvm, "get_host_cpu_name", lambda: "haswell")
        patch.setattr(llvm, "get_host_cpu_features", lambda: features)
        patch.setattr(llvm, "parse_assembly", stop)
        host_target.cache_clear()
        try:
            yield
        finally:
            host_target.cache_clear()


def llvm_text(build: Callable[[], object], folder: Path) -> str:
    """The module that ``build`` wants assembled; an empty cache holds nothing to take instead."""
    with pytest.MonkeyPatch.context() as patch, avx2_host():
        patch.setenv("PHALANX_CACHE_DIR", str(folder / "cache"))
        try:
            build()
        except Emitted as module:
            return module.text
    raise AssertionError("nothing was given to llvmlite.binding.parse_assembly")


def build_rollout() -> object:
    """A loop over time steps."""
    pendulum = px.library.chain(1)
    return px.rollout(pendulum, [0.3], [0.0], steps=3, integrator=px.SemiImplicitEuler())


def build_parallel() -> object:
    """Two processors that wait for each other's numbers."""
    return mp.compile_plan(mp.schedule(mp.task_graph(arm()), mp.SharedMemory(2)))


# --- exported source ---------------------------------------------------------------------------


def c_text(function: Callable[[], ca.Function], folder: Path) -> str:
    return px.export_c(function(), folder / "exported.c").read_text(encoding="utf-8")


def named_c_text(folder: Path) -> str:
    """C for people, with the equation's own names for values on the way."""
    path = folder / "exported.c"
    quantity = ("inverse-dynamics", "--method", "modified", "--named")
    command("export", "puma560_arm", *quantity, "--to", str(path))
    return path.read_text(encoding="utf-8")


def fortran_text(folder: Path) -> str:
    return px.export_fortran(arm(), folder / "exported.f90").read_text(encoding="utf-8")


# --- plans -------------------------------------------------------------------------------------


def plan_text(words: tuple[str, ...], folder: Path) -> str:
    """A plan for the arm's joint forces, as ``phalanx schedule`` saves it."""
    path = folder / "plan.json"
    command("schedule", "double_pendulum", *words, "--save", str(path))
    return path.read_text(encoding="utf-8")


# --- a run: its page and its recording ---------------------------------------------------------


def run_arm(*written: str) -> None:
    """Twenty steps of an arm that a controller pulls up."""
    start = ("--q0", "1.5,-0.3", "--step", "0.01", "--duration", "0.2")
    control = ("--control", "pd", "--target", "0.5", "--stiffness", "20", "--damping", "2")
    command("simulate", "double_pendulum", *start, *control, *written)


def report_text(folder: Path) -> str:
    """The page, a line a row, without what legitimately differs from run to run.

    Of a picture its words stay: axes, units, legend. Its lines are drawn by matplotlib, whose
    versions place and name them differently, with fresh random names in every drawing.
    """
    run_arm("--report", str(folder))
    page = (folder / "report.html").read_text(encoding="utf-8")
    page = re.sub(r"data:image/svg\+xml;base64,([^\"]*)", lambda found: words_of(found[1]), page)
    for name in (*VARYING_SETTINGS, *(name.replace("_", " ") for name in VARYING_SETTINGS)):
        page = re.sub(f"(>{name}</th><td[^>]*>)[^<]*", rf"\g<1>{VARIES}", page)
    page = re.sub(r"Run on [^,]+, [^,]+,", f"Run on {VARIES},", page)
    page = re.sub(r"\d{4}-\d\d-\d\d</title>", f"{VARIES}</title>", page)
    page = page.replace(f"Phalanx {px.__version__}", f"Phalanx {VARIES}")
    return re.sub(r"(<table[^>]*>|</tr>)", "\\1\n", page)


def words_of(picture: str) -> str:
    """What is written in a drawing; numbers at its axes are matplotlib's choice."""
    svg = base64.b64decode(picture).decode()
    written = re.findall(r"<!-- (.*?) -->", svg)
    return "svg: " + " | ".join(text for text in written if re.match(r"[^\W\d]", text))


def recording_text(folder: Path) -> str:
    """An MCAP file's content, by MCAP's own reader: channels with schemas, settings, numbers.

    Bytes would depend on the version of the library that compresses them.
    """
    path = folder / "run.mcap"
    run_arm("--record", str(path))
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        header, summary = reader.get_header(), reader.get_summary()
        assert summary is not None
        messages = [message for _, _, message in reader.iter_messages()]
        records = list(reader.iter_metadata())
    (channel,), (schema,) = summary.channels.values(), summary.schemas.values()
    content = {
        "profile": header.profile,
        "library": header.library.replace(px.__version__, VARIES),
        "channel": {
            "topic": channel.topic,
            "encoding": channel.message_encoding,
            "metadata": {name: unpacked(text) for name, text in channel.metadata.items()},
        },
        "schema": {
            "name": schema.name,
            "encoding": schema.encoding,
            "text": schema.data.decode().splitlines(),
        },
        "metadata": [
            {
                "name": record.name,
                "content": {
                    key: VARIES if key in VARYING_SETTINGS else unpacked(text)
                    for key, text in record.metadata.items()
                },
            }
            for record in records
        ],
        "times": [[m.sequence, m.log_time, m.publish_time] for m in messages],
        ROWS: [[number for (number,) in struct.iter_unpack("<d", m.data)] for m in messages],
    }
    return json_text(content)


def json_text(content: Any) -> str:
    """JSON with a line for each row of numbers."""
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    return re.sub(r"\[[\s\d.e+,-]+\]", lambda found: re.sub(r"\s+", " ", found[0]), text)


def unpacked(text: str) -> Any:
    """JSON within JSON is hard to read."""
    try:
        return json.loads(text)
    except ValueError:
        return text


# CasADi's version decides in which order an expression's operations come
CASADI = "3.8"
SORTED_BY_CASADI: dict[str, Maker] = {
    "arm.ll": partial(llvm_text, lambda: px.compile(arm())),
    "elementary.ll": partial(llvm_text, lambda: px.compile(elementary())),
    "rollout.ll": partial(llvm_text, build_rollout),
    "parallel.ll": partial(llvm_text, build_parallel),
    "arm.c": partial(c_text, arm),
    "elementary.c": partial(c_text, elementary),
    "arm_acceleration.c": partial(c_text, arm_acceleration),
    "named.c": named_c_text,
    "arm.f90": fortran_text,
    "shared_memory.json": partial(plan_text, ("--processors", "2")),
    "transputer_mesh.json": partial(
        plan_text, ("--processors", "4", "--computer", "transputer-mesh", "--coarsen", "3")
    ),
}
FILES: dict[str, Maker] = SORTED_BY_CASADI | {
    "report.html": report_text,
    "recording.json": recording_text,
}
