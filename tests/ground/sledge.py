"""A bucket on slides, so that its edge moves as a test says."""

import casadi as ca
import numpy as np

import phalanx as px
from phalanx.equations.model_of import model_of
from phalanx.ground import Bucket, Ground
from phalanx.mechanism import Frame, Pose, Prismatic, Revolute

HOE = Bucket(forward=(1.0, 0.0, 0.0), inward=(0.0, 0.0, 1.0))
LOAD_AT = np.array([-0.4, 0.0, 0.3])
NAMES = ("depth", "resistance", "bearing", "pressing", "force", "filling", "leaving")


def sledge() -> px.Mechanism:
    """Slides along x, y and z, then a hinge about y: the angle of the hinge is the rake."""
    names = ["ground", "along", "across", "lift", "bucket"]
    bodies = [px.Body("ground"), *(px.Body(n, 50.0, inertia=20 * np.eye(3)) for n in names[1:])]
    motions = [
        Prismatic([1, 0, 0]),
        Prismatic([0, 1, 0]),
        Prismatic([0, 0, 1]),
        Revolute([0, 1, 0]),
    ]
    joints = [
        px.Joint(f"to_{child}", parent, child, motion)
        for parent, child, motion in zip(names[:-1], names[1:], motions, strict=True)
    ]
    plain = px.Mechanism("sledge", bodies, joints, [Frame("teeth", "bucket", Pose())])
    return px.attach(plain, "bucket", px.Body("payload"), Pose(translation=LOAD_AT))


def at_contact(ground: Ground, mechanism: px.Mechanism) -> px.Kernel:
    """``(q, v, load, surface) -> tau, rate,`` and what the contact holds."""
    model = model_of(mechanism, ground.parameters)
    sizes = {"q": mechanism.nq, "v": mechanism.nv, "load": 1, "surface": 1}
    q, v, load, surface = (ca.SX.sym(name, size) for name, size in sizes.items())
    response = ground.act(model, q, v, load, {"surface": surface})
    contact = ground.contact(model, q, v, load, {"surface": surface})
    outputs = [response.tau, response.rate, *(getattr(contact, name) for name in NAMES)]
    inputs = [q, v, load, surface]
    return px.compile(ca.Function("contact", inputs, outputs, list(sizes), ["tau", "rate", *NAMES]))
