"""The random machines are worth their name: what the laws are tested on."""

from hypothesis import find, given, settings
from hypothesis import strategies as st

from phalanx.mechanism import Mechanism
from strategies import KINDS, mechanisms, menagerie, states

seen: set[str] = set()


@settings(max_examples=20)  # as many as a law sees
@given(mechanisms())
def test_draw_machines(mechanism: Mechanism):
    assert mechanism.nv > 0
    seen.update(joint.motion.kind for joint in mechanism.joints)
    seen.update("mimic" for joint in mechanism.joints if joint.mimic)
    seen.update("rotor" for joint in mechanism.joints if (joint.reflected_inertia > 0).any())
    seen.update("massless" for body in mechanism.bodies if not body.mass)


def test_a_few_draws_hold_every_kind_of_joint():
    # pytest-xdist may run the two tests on different workers
    if not seen:
        test_draw_machines()
    assert seen >= {*KINDS, "mimic", "rotor", "massless"}


def test_the_menagerie_holds_every_kind_of_joint():
    assert {joint.motion.kind for joint in menagerie().joints} == set(KINDS)


@given(st.data())
def test_states_fit_their_machine(data):
    mechanism = data.draw(mechanisms())
    x = data.draw(states(mechanism))
    assert x.q.shape == (mechanism.nq,)
    assert x.v.shape == x.a.shape == x.tau.shape == (mechanism.nv,)


def test_a_machine_may_branch_and_follow_a_later_joint():
    def late_leader(m: Mechanism) -> bool:
        order = [j.name for j in m.joints]
        return any(j.mimic and order.index(j.mimic.leader) > order.index(j.name) for j in m.joints)

    find(mechanisms(), late_leader)
    find(mechanisms(), lambda m: len(set(m.parents)) < len(m.parents) - 1)
