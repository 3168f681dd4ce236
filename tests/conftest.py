"""What all tests share: a cache of their own, and the same random machines in every run."""

from __future__ import annotations

import gc
import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from papers.coverage import named_tests

# The same examples in every run: a red build means that the code changed. To look for new
# counterexamples, run with HYPOTHESIS_PROFILE=explore.
COMMON = {
    "deadline": None,  # tracing a machine takes milliseconds or, the first time, a second
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("ci", derandomize=True, max_examples=20, database=None, **COMMON)
settings.register_profile("explore", max_examples=200, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of these tests alone."""
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the files of tests/golden anew where they differ",
    )
    parser.addoption("--slow", action="store_true", help="run slow tests too")


@pytest.fixture(scope="session", autouse=True)
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled kernels of this session, shared by its tests and workers, never the user's."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # entries appear whole, so workers may share them
    folder = folder / "kernels"
    os.environ["PHALANX_CACHE_DIR"] = str(folder)
    # Where Python may not keep bytecode, each process that a test starts would compile all modules.
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder.with_name("bytecode"))
    return folder


@pytest.fixture
def disk() -> Iterator[Callable[..., None]]:
    """A disk whose room can be changed: the system refuses to let files grow beyond it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def room(size: int = soft) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

    yield room
    room()


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], Any]:
    """A scenario from its text."""
    from phalanx import read_scenario

    def reader(text: str) -> Any:
        path = tmp_path / "case.toml"
        path.write_text(text)
        return read_scenario(path)

    return reader


def pytest_configure() -> None:
    """Hear Ctrl-C, also where a shell that runs tests in the background ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Thousands of collected tests live on to the end: the collector need not look at them."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


# Files with single tests of five seconds and more.
LONG_TESTS = (
    "tests/surface/test_site.py",
    "tests/surface/test_examples.py",
    "tests/papers/khan/test_free_directions.py",
    "tests/papers/khan/test_distributed.py",
    "tests/cli/test_compare_loops.py",
    "tests/simulation/test_loops.py",
    "tests/agree/test_pinocchio.py",
)


# Tests that together take a third of the time. They run with --slow, as those with the mark `slow`;
# those that a row of a source rests on always run.
SLOW_TESTS = (
    "tests/surface/test_examples.py::test_example[0",
    "tests/surface/test_examples.py::test_example[1",
    "tests/surface/test_examples.py::test_example[2",
    "tests/agree/test_pinocchio.py::test_on_a_floating_base",
    "tests/agree/test_pinocchio.py::test_compiled",
    "tests/bench/test_chains.py",
    "tests/bench/test_run.py::test_every_quantity_equals_the_peers",
    "tests/cli/test_encodings.py::test_what_an_encoding_does_not_have_is_replaced",
    "tests/distribute/programs/platforms/test_launch.py",
    "tests/distribute/sweeps/test_engines_dask.py",
    "tests/dynamics/evaluators/test_hard_chains.py",
    "tests/kernel/llvm/test_crowded_memory.py",
    "tests/planning/trajectory/test_optimal.py",
    "tests/simulation/setup/test_true_model.py",
    "tests/simulation/test_energy_balance.py",
    "tests/simulation/test_loops.py",
    "tests/view/test_screens_browser.py",
    "tests/view/test_sight_browser.py",
    "tests/view/test_viewer_browser.py",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests; those that must stay on one worker come first, then long ones.

    At the end the other workers would wait for them.
    """
    if not config.getoption("--slow"):
        named = named_tests()

        def waits(item: pytest.Item) -> bool:
            slow = item.get_closest_marker("slow") or item.nodeid.startswith(SLOW_TESTS)
            return bool(slow) and item.nodeid.partition("[")[0].partition("@")[0] not in named

        left_out = [item for item in items if waits(item)]
        items[:] = [item for item in items if not waits(item)]
        config.hook.pytest_deselected(items=left_out)

    def turn(item: pytest.Item) -> tuple[bool, bool]:
        alone = item.get_closest_marker("xdist_group") is not None
        return not alone, not item.nodeid.startswith(LONG_TESTS)

    items.sort(key=turn)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """In CI, a test that a row of a source rests on must run: a skip counts as a failure."""
    report = yield
    claimed = item.nodeid.partition("[")[0] in named_tests()
    if report.skipped and not hasattr(report, "wasxfail") and claimed and os.environ.get("CI"):
        report.outcome = "failed"
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.longrepr = f"coverage.toml names this test, and it was not run: {reason}"
    return report
