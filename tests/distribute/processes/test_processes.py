"""Programs that know nothing of machines: simulated in one process, and on real ranks."""

import json
import math

import numpy as np
import pytest

import phalanx as px
from distribute.mpi import mpiexec
from distribute.processes import rings
from phalanx.distribute import processes
from phalanx.distribute.processes.job_file import JOB, JobFile
from phalanx.distribute.processes.program_registry import name_of, program_by_name

NUMBERS = [0.5, -2.0, 4.25]


def check_ring(finished):
    """All have the sum and the maximum, and only what had to travel did."""
    assert finished.results == tuple(
        {"rank": rank, "sum": math.fsum(NUMBERS), "largest": 4.25} for rank in range(3)
    )
    assert [one.exchanges for one in finished.traffic] == [2, 2, 2]
    assert [one.round_trips for one in finished.traffic] == [1, 1, 1]
    assert [one.messages for one in finished.traffic] == [4 + 2, 4 + 1, 4 + 1]
    assert [one.words for one in finished.traffic] == [4 + 2, 4 + 2, 4 + 2]


def test_a_program_in_one_process():
    check_ring(processes.run(processes.ProgramJob(rings.ring_sum, numbers=NUMBERS), 3))


@pytest.mark.xdist_group("mpi")
def test_the_same_program_on_ranks():
    mpiexec()
    check_ring(
        processes.launch(processes.ProgramJob(rings.ring_sum, numbers=NUMBERS), 3, timeout=60.0)
    )


ROW = [0.1, 0.7, -3.3, 2.9, 1.0 / 3.0]


def check_row(finished, rounds=4):
    """Against the row as one array; what travelled went to neighbours, or was of a sum."""
    row = np.array(ROW)
    for _ in range(rounds):
        row[1:-1] = (row[:-2] + row[1:-1] + row[2:]) / 3
    own, running, total, count, most = np.array(finished.results).T
    np.testing.assert_array_equal(own, row)
    np.testing.assert_array_equal(running, np.cumsum(row))
    np.testing.assert_allclose(total, math.fsum(row), rtol=1e-15)
    assert len(set(total)) == 1  # the same bits everywhere
    np.testing.assert_array_equal(count, len(ROW))
    np.testing.assert_array_equal(most, row.max())
    assert {one.neighbour_exchanges for one in finished.traffic} == {rounds + 2}
    assert {one.reductions for one in finished.traffic} == {2}
    assert {one.exchanges + one.round_trips for one in finished.traffic} == {0}
    sent = {(one.sender, one.receiver): one for one in finished.log if one.kind == "neighbour"}
    assert set(sent) == {(n, n + 1) for n in range(4)} | {(n + 1, n) for n in range(4)}
    assert all(sent[n, n + 1].words == rounds + 1 for n in range(4))
    assert all(sent[n + 1, n].messages == rounds for n in range(4))
    # five processes: the fifth sends its numbers to the first, and four swap in two rounds
    swaps = {(0, 1), (2, 3), (0, 2), (1, 3)}
    pairs = swaps | {(b, a) for a, b in swaps} | {(4, 0), (0, 4)}
    for kind, words in (("sum", 2), ("maximum", 1)):
        lines = [one for one in finished.log if one.kind == kind]
        assert {(one.sender, one.receiver) for one in lines} == pairs
        assert all((one.messages, one.words) == (1, words) for one in lines)
    assert sum(one.words for one in finished.log) == sum(one.words for one in finished.traffic)
    assert len(finished.log) == 8 + 2 * len(pairs)


def test_neighbours_and_sums_in_one_process():
    check_row(processes.run(processes.ProgramJob(rings.heat, numbers=ROW, rounds=4), len(ROW)))


@pytest.mark.xdist_group("mpi")
def test_neighbours_and_sums_on_ranks():
    mpiexec()
    arguments = {"numbers": ROW, "rounds": 4}
    there = processes.launch(processes.ProgramJob(rings.heat, **arguments), len(ROW), timeout=60.0)
    check_row(there)
    here = processes.run(processes.ProgramJob(rings.heat, **arguments), len(ROW))
    assert there.results == tuple(here.results)  # the same bits
    assert there.log == here.log


@pytest.mark.xdist_group("mpi")
def test_sends_that_nobody_waits_for():
    """In the order in which they were sent, however large; the same in one process and on ranks."""
    mpiexec()
    arguments = {"words": 300_000}
    there = processes.launch(
        processes.ProgramJob(rings.large_messages, **arguments), 3, timeout=60.0
    )
    here = processes.run(processes.ProgramJob(rings.large_messages, **arguments), 3)
    assert there.results == tuple(here.results)
    assert [one[:2] for one in there.results] == [[200.0, 201.0], [0.0, 1.0], [100.0, 101.0]]
    assert there.log == here.log
    assert {(one.kind, one.messages, one.words) for one in there.log} == {("send", 2, 600_000)}


@pytest.mark.parametrize("size", range(1, 10))
def test_sums_over_any_number_of_nodes(size):
    def adds(rank):
        total = yield processes.Sum(np.array([2.0**rank, -rank]))
        most = yield processes.Maximum(np.array([-abs(rank - 1.0)]))
        undefined = yield processes.Maximum(np.array([math.nan if rank == size // 2 else rank]))
        return [*total, *most, *undefined]

    for result in processes.run_together([adds(rank) for rank in range(size)]).results:
        assert result[:3] == [2.0**size - 1, -size * (size - 1) / 2, -1.0 if size == 1 else 0.0]
        assert math.isnan(result[3])


@pytest.mark.xdist_group("mpi")
def test_a_rank_that_sends_too_little_ends_the_run():
    """MPI itself takes a short message for a whole one."""
    mpiexec()
    with pytest.raises(
        processes.RanksFailed, match=r"rank 0 reports: .* rank 1 sent 1 numbers where 2"
    ):
        processes.launch(processes.ProgramJob(rings.stingy), 2, timeout=60.0)


def test_messages_that_do_not_fit_are_refused():
    def shares(sizes):
        yield processes.AllGather(np.ones(2), sizes)

    def asks():
        yield processes.Request(np.ones(1), 1)

    def listens(expects, answers):
        yield processes.Collect((expects,))
        if answers is not None:
            yield processes.Reply(np.ones(answers))

    def passes(**told):
        yield processes.NeighbourExchange(**told)

    def says(message):
        yield message

    def silent():
        return
        yield

    for programs, said in (
        ([shares((2, 2)), silent()], "rank 0 yields AllGather, rank 1 ends"),
        ([shares((2, 2)), shares((2, 3))], "processes sent 2, 2 numbers where 2, 3 were expected"),
        ([asks(), asks()], "rank 0 yields Request, rank 1 yields Request"),
        ([listens(1, None), asks()], "after the requests of all others, rank 0 ends"),
        ([listens(2, 1), asks()], "processes sent 1 numbers where 2"),
        ([listens(1, 3), asks()], "processes sent 3 numbers where 1"),
        (
            [passes(after=np.ones(3)), passes(expects=(2, 0))],
            "rank 0 sent 3 numbers where rank 1 expected 2",
        ),
        ([passes(), passes(expects=(1, 0))], "rank 0 ends, rank 1 yields NeighbourExchange"),
        (
            [passes(after=np.ones(1)), silent()],
            "1 messages from rank 0 to rank 1 .neighbour. were not",
        ),
        (
            [says(processes.Sum(np.ones(1))), says(processes.Maximum(np.ones(1)))],
            "rank 0 yields Sum, rank 1 yields Maximum",
        ),
        (
            [says(processes.Sum(np.ones(2))), says(processes.Sum(np.ones(1)))],
            "rank 1 sent 1 numbers where rank 0 expected 2",
        ),
        ([says(processes.Sum(np.ones(1))), asks()], "rank 0 yields Sum, rank 1 yields Request"),
    ):
        with pytest.raises(processes.UnmatchedMessages, match=said):
            processes.run_together(programs)


def test_whole_numbers_travel_as_numbers():
    def tells():
        gathered = yield processes.AllGather(np.array([3]), (1,))
        return gathered[0].dtype

    assert processes.run_together([tells()]).results == (np.float64,)


def test_only_declared_programs_are_run():
    with pytest.raises(px.InvalidInput, match=r"rings\.undeclared' is not declared"):
        processes.launch(processes.ProgramJob(rings.undeclared), 2)
    with pytest.raises(px.InvalidInput, match="not declared to be a program"):
        program_by_name("os.system")
    with pytest.raises(px.InvalidInput, match="not the name of a program"):
        program_by_name("print(1)")
    with pytest.raises(px.InvalidInput, match="cannot be imported: No module named 'nowhere'"):
        program_by_name("nowhere.at_all")
    with pytest.raises(px.InvalidInput, match="outside classes and functions"):

        @processes.program
        def local(rank, size):
            yield

    assert program_by_name(name_of(rings.ring_sum)) is rings.ring_sum


def test_a_program_of_the_script_itself_cannot_be_found_by_ranks(monkeypatch):
    monkeypatch.setattr(rings.ring_sum, "__module__", "__main__")
    with pytest.raises(px.InvalidInput, match="'ring_sum' is of the script that runs"):
        processes.launch(processes.ProgramJob(rings.ring_sum), 2)


def test_wrong_numbers_are_refused():
    with pytest.raises(px.InvalidInput, match="on 0 processes; expected at least one"):
        processes.run(processes.ProgramJob(rings.ring_sum), 0)
    with pytest.raises(px.InvalidInput, match="on 0 processes; expected at least one"):
        processes.launch(processes.ProgramJob(rings.ring_sum), 0)
    with pytest.raises(px.InvalidInput, match="timeout=0"):
        processes.launch(processes.ProgramJob(rings.ring_sum), 2, timeout=0.0)


def test_a_job_file_is_plain_text(tmp_path):
    job = JobFile("a.b", {"numbers": [1, 2.5], "name": "x"}, 3.0)
    job.write(tmp_path)
    assert json.loads((tmp_path / JOB).read_text())["arguments"] == job.arguments
    assert JobFile.read(tmp_path, "a.b") == job
    with pytest.raises(px.InvalidInput, match="plain data"):
        JobFile("a.b", {"array": np.ones(2)}, 3.0).write(tmp_path)
