"""The reference chain on ranks: a program that they find by its name."""

from papers.sharf import golden
from phalanx.distribute import processes
from phalanx.distribute.programs.chains.chain import chain_of
from phalanx.distribute.programs.chains.evaluation import SegmentDynamics
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping

STOPPING = Stopping(change=1e-12, residual=1e-12)


@processes.program
def reference_forces(rank, size):
    """Constraint forces of this process's bodies."""
    chain = chain_of(golden.chain())
    segment = chain.divided(size)[rank]
    dynamics = SegmentDynamics(chain, segment, ConjugateGradientJacobi(), STOPPING)
    state = chain.cut(segment, golden.Q[0], golden.V[0], golden.TAU[0])

    def program():
        found = yield from dynamics.evaluated(*state)
        return {"f": found.f.tolist(), "a": found.a.tolist(), "iterations": found.iterations}

    return program()
