"""A linkage as people draw it: bars along x with every joint at zero, where its loop is open."""

from __future__ import annotations

from dataclasses import replace

import phalanx as px


def flat_four_bar() -> px.Mechanism:
    """The four-bar of the library, its joints without the turns that close it at zero."""
    linkage = px.library.four_bar()
    joints = [
        replace(joint, pose=px.Pose(translation=joint.pose.translation)) for joint in linkage.joints
    ]
    return replace(linkage, joints=joints)
