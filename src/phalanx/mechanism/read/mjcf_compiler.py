"""MuJoCo's compiler as a program of its own, which can be stopped: run by ``mjcf_process.py``.

A line of JSON asks for a model file; the answer is a line of JSON and the compiled model's arrays
as an ``.npz``. A compile that takes too long ends this process by a signal, which also stops C code
that never returns; one that takes too much memory fails. What MuJoCo writes into the folder it is
run in (``MUJOCO_LOG.TXT``) goes into one that its parent removes.

This file is run alone: it may import nothing of Phalanx.
"""

from __future__ import annotations

import faulthandler
import json
import math
import os
import select
import signal
import sys
from io import BytesIO
from typing import Any, BinaryIO

ARRAYS = (
    *("name_bodyadr", "name_jntadr", "name_siteadr", "name_eqadr", "name_tendonadr"),
    *("body_parentid", "body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass"),
    *("body_inertia", "body_gravcomp", "body_jntadr", "body_jntnum", "body_geomadr"),
    *("body_geomnum", "jnt_type", "jnt_pos", "jnt_axis", "jnt_range", "jnt_limited"),
    *("jnt_actfrclimited", "jnt_actfrcrange", "jnt_stiffness", "jnt_qposadr", "jnt_dofadr"),
    *("qpos0", "qpos_spring", "dof_damping", "dof_frictionloss", "dof_armature"),
    *("tendon_adr", "tendon_num", "tendon_stiffness", "tendon_damping", "tendon_lengthspring"),
    *("tendon_frictionloss", "tendon_armature", "wrap_type", "wrap_objid"),
    *("eq_type", "eq_active0", "eq_obj1id", "eq_obj2id", "eq_objtype", "eq_data"),
    *("site_bodyid", "site_pos", "site_quat"),
    *("geom_group", "geom_type", "geom_size", "geom_pos", "geom_quat", "geom_dataid"),
    *("geom_matid", "geom_rgba", "mat_rgba"),
    *("mesh_pathadr", "mesh_scale", "mesh_pos", "mesh_quat"),
    *("geom_bodyid", "geom_contype", "geom_conaffinity", "geom_fluid", "body_weldid"),
    *("body_mocapid", "pair_geom1", "pair_geom2", "exclude_signature"),
    *("tendon_limited", "tendon_actfrclimited", "wrap_prm", "flex_dim", "plugin"),
    *("name_actuatoradr", "actuator_trntype", "actuator_trnid", "actuator_dyntype"),
    *("actuator_gaintype", "actuator_biastype", "actuator_gainprm", "actuator_biasprm"),
    *("actuator_gear", "actuator_ctrllimited", "actuator_ctrlrange", "actuator_forcelimited"),
    *("actuator_forcerange", "actuator_plugin", "name_sensoradr"),
)
# numbers of <option>
OPTIONS = ("density", "viscosity", "wind", "timestep", "integrator")
# stands for a mesh that is not there
TETRAHEDRON = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
TETRAHEDRON_FACES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]

# what only newer versions have: terms of higher order, say
NEWER = (
    *("jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly", "tendon_dampingpoly"),
    *("actuator_delay", "actuator_damping", "actuator_dampingpoly", "actuator_armature"),
    *("actuator_ctrladr", "actuator_outadr", "jnt_springyield", "tendon_springyield"),
)
# what some flags of the model switch off
SWITCHED = {
    "mjDSBL_PASSIVE": ("jnt_stiffness", "tendon_stiffness", "dof_damping", "tendon_damping"),
    "mjDSBL_SPRING": ("jnt_stiffness", "tendon_stiffness"),
    "mjDSBL_DAMPER": ("dof_damping", "tendon_damping"),
    "mjDSBL_CONSTRAINT": (
        *("eq_active0", "jnt_limited", "tendon_limited"),
        *("dof_frictionloss", "tendon_frictionloss"),
    ),
    "mjDSBL_EQUALITY": ("eq_active0",),
    "mjDSBL_LIMIT": ("jnt_limited", "tendon_limited"),
    "mjDSBL_FRICTIONLOSS": ("dof_frictionloss", "tendon_frictionloss"),
    "mjDSBL_CLAMPCTRL": ("actuator_ctrllimited",),
}
# flags that switch off all passive forces, those of the fluid among them: one, or two together
PASSIVE = ("mjDSBL_PASSIVE",), ("mjDSBL_SPRING", "mjDSBL_DAMPER")


def main() -> None:
    """Serve compile requests until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what MuJoCo prints is no answer
    import mujoco
    import numpy as np

    warnings: list[str] = []
    mujoco.set_mju_user_warning(warnings.append)
    _limit_memory(int(sys.argv[1]))
    idle = float(sys.argv[2])
    while _is_asked(idle) and (line := sys.stdin.readline()):
        wanted = json.loads(line)
        warnings.clear()
        _end_after(wanted["time_limit"])
        try:
            model = compiled_model(mujoco, wanted["path"], wanted["missing"])
            if model.nbody > wanted["bodies"]:
                raise ValueError(f"{model.nbody:,} bodies, more than the {wanted['bodies']:,} read")
            packed = BytesIO()
            np.savez(packed, **content_of(mujoco, np, model))
            facts: dict[str, Any] = {"size": packed.tell()}
        except _Weightless as error:
            facts, packed = {"weightless": str(error)}, BytesIO()
        except Exception as error:  # C++ exceptions come as any kind, and as "unknown exception"
            facts, packed = {"error": str(error) or type(error).__name__}, BytesIO()
        _end_after(0.0)
        _answer(answers, facts | {"warnings": warnings}, packed.getvalue())


def content_of(mujoco: Any, np: Any, model: Any) -> dict[str, Any]:
    """Arrays of a compiled model by name, with what its flags switch off left out."""
    present = (*ARRAYS, *(name for name in NEWER if hasattr(model, name)))
    found = {name: getattr(model, name) for name in present}
    found |= {name: np.asarray(getattr(model.opt, name)) for name in OPTIONS}

    def is_off(flag: str) -> bool:
        # which bit that is differs between versions, and not all have all of them
        bit = getattr(mujoco.mjtDisableBit, flag, None)
        return bit is not None and bool(model.opt.disableflags & int(bit))

    for flag, names in SWITCHED.items():
        if is_off(flag):
            found |= {name: np.zeros_like(found[name]) for name in names}
    if any(all(map(is_off, flags)) for flags in PASSIVE):
        found |= {"density": np.zeros(()), "viscosity": np.zeros(())}
    found |= {name: np.frombuffer(getattr(model, name), "u1") for name in ("names", "paths")}
    found["gravity"] = np.zeros(3) if is_off("mjDSBL_GRAVITY") else model.opt.gravity
    found["contacts_disabled"] = np.array(is_off("mjDSBL_CONTACT") or is_off("mjDSBL_CONSTRAINT"))
    found["parents_filtered"] = np.array(not is_off("mjDSBL_FILTERPARENT"))
    groups = model.actuator_group
    disabled = (groups >= 0) & ((model.opt.disableactuator >> groups.clip(0, 30)) & 1 != 0)
    found["actuator_disabled"] = disabled | is_off("mjDSBL_ACTUATION")
    sleeps = getattr(mujoco.mjtEnableBit, "mjENBL_SLEEP", None)
    found["sleeps"] = np.array(sleeps is not None and bool(model.opt.enableflags & int(sleeps)))
    return found


class _Weightless(Exception):
    """A body whose mass is that of a mesh which is not there."""


def compiled_model(mujoco: Any, path: str, missing: list[str]) -> Any:
    """The compiled model; files that are missing are left out where they only draw."""
    if not missing:
        return mujoco.MjModel.from_xml_path(path)
    spec = mujoco.MjSpec.from_file(path)
    gone = {os.path.basename(file) for file in missing}
    folder = os.path.dirname(path)

    def is_missing(file: str, kind: str) -> bool:
        # how a name in an included file is completed differs between versions
        places = (file, os.path.join(folder, file), os.path.join(folder, kind, file))
        return os.path.basename(file) in gone and not any(map(os.path.isfile, places))

    shapeless = {}
    for mesh in spec.meshes:
        if is_missing(mesh.file, spec.meshdir):
            shapeless[mesh.name or os.path.splitext(os.path.basename(mesh.file))[0]] = mesh.file
            mesh.file, mesh.content_type = "", ""
            mesh.uservert, mesh.userface = TETRAHEDRON, TETRAHEDRON_FACES
    _check_masses(mujoco, spec, shapeless)
    for texture in spec.textures:
        if any(is_missing(file, spec.texturedir) for file in (texture.file, *texture.cubefiles)):
            texture.file, texture.cubefiles = "", [""] * len(texture.cubefiles)
            texture.builtin = mujoco.mjtBuiltin.mjBUILTIN_FLAT
            texture.width = texture.height = 1
    for skin in list(spec.skins):
        if is_missing(skin.file, spec.meshdir):
            spec.delete(skin)
    return spec.compile()


def _check_masses(mujoco: Any, spec: Any, shapeless: dict[str, str]) -> None:
    """Raise for the first body whose mass or inertia is that of an unknown shape."""
    of_geoms = spec.compiler.inertiafromgeom
    first, last = spec.compiler.inertiagrouprange
    for body in spec.bodies[1:]:
        given = of_geoms == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE or (
            body.explicitinertial and of_geoms != mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
        )
        for geom in () if given else body.geoms:
            mass = geom.density if math.isnan(geom.mass) else geom.mass
            if geom.meshname in shapeless and mass and first <= geom.group <= last:
                file = os.path.basename(shapeless[geom.meshname])
                raise _Weightless(
                    f"the mesh file '{file}' is missing, and the inertia of "
                    f"body '{body.name}' is that of its shape. Get the file, or give the body "
                    "an <inertial>."
                )


def _answer(answers: BinaryIO, facts: dict[str, Any], content: bytes) -> None:
    answers.write(json.dumps(facts).encode() + b"\n")
    answers.write(content)
    answers.flush()


def _is_asked(idle: float) -> bool:
    """Whether a request comes before the timeout; Windows can only wait without one."""
    return sys.platform == "win32" or bool(select.select([sys.stdin], [], [], idle)[0])


def _end_after(seconds: float) -> None:
    """End this process after a while, whatever C code does meanwhile; 0 for never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
    elif seconds:
        faulthandler.dump_traceback_later(seconds, exit=True)
    else:
        faulthandler.cancel_dump_traceback_later()


def _limit_memory(more: int) -> None:
    """Let this process have so many bytes more than it has now."""
    try:
        import resource

        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):  # only Linux says how much that is
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = now + more
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


if __name__ == "__main__":
    main()
