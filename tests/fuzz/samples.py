"""Small real files of every format, with all that the format has."""

from __future__ import annotations

FOUR_BAR = """<?xml version="1.0"?>
<robot name="four_bar">
  <link name="ground"/>
  <link name="crank"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <link name="coupler"><inertial><origin xyz="0.3 0 0" rpy="0 0.1 0"/><mass value="2"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.06" iyz="0" izz="0.06"/></inertial></link>
  <link name="rocker"><inertial><origin xyz="0.25 0 0"/><mass value="1.5"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.04" iyz="0" izz="0.04"/></inertial></link>
  <joint name="a" type="continuous"><parent link="ground"/><child link="crank"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="b" type="continuous"><parent link="crank"/><child link="coupler"/>
    <origin xyz="0.2 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="d" type="continuous"><parent link="ground"/><child link="rocker"/>
    <origin xyz="0.7 0 0"/><axis xyz="0 1 0"/></joint>
</robot>
"""

ARM = """<robot name="arm">
  <material name="steel"><color rgba="0.5 0.5 0.6 1"/></material>
  <link name="base"><visual><geometry><box size="1 2 3"/></geometry>
    <material name="steel"/></visual></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.5" rpy="0.1 0.2 0.3"/><mass value="3.5"/>
      <inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.25" iyz="0.03" izz="0.1"/></inertial>
    <visual><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.1" length="1"/></geometry></visual>
    <visual><geometry><mesh filename="package://arm/upper.stl" scale="1 1 1"/></geometry></visual>
  </link>
  <link name="lower"><inertial><mass value="1.25"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.02"/></inertial></link>
  <link name="finger"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
  <link name="thumb"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.3" rpy="0 1.57 0"/>
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2.5" effort="100" velocity="3"/>
    <dynamics damping="0.5" friction="0.1"/></joint>
  <joint name="elbow" type="revolute"><origin xyz="0 0 1"/>
    <parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="inf"/></joint>
  <joint name="grip" type="prismatic"><parent link="lower"/><child link="finger"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="5" velocity="1"/></joint>
  <joint name="follow" type="prismatic"><parent link="lower"/><child link="thumb"/>
    <axis xyz="-1 0 0"/><limit lower="0" upper="0.1" effort="5" velocity="1"/>
    <mimic joint="grip" multiplier="1.0" offset="0"/></joint>
  <joint name="mount" type="fixed"><parent link="lower"/><child link="tool"/></joint>
  <transmission name="t"><joint name="shoulder"/><actuator name="m">
    <mechanicalReduction>100</mechanicalReduction></actuator></transmission>
</robot>
"""

MJCF = (
    """<mujoco model="zoo">
  <compiler angle="degree"/>
  <option gravity="0 1 -3"/>
  <default><joint damping="0.1"/><default class="big"><geom size="0.3"/></default></default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="free" pos="0 0 5" euler="10 20 30"><freejoint name="float"/>
      <geom type="box" size="0.1 0.2 0.3"/></body>
    <body name="many" pos="1 2 3" euler="30 20 10">
      <joint name="hinge" axis="0 1 0" pos="0 0 0.2" ref="30" range="-90 80" armature="0.2"
             frictionloss="0.3" actuatorfrcrange="-7 7" stiffness="3"/>
      <joint name="slide" type="slide" axis="1 0 0" ref="0.4"/>
      <geom type="capsule" size="0.1 0.2" euler="0 90 0" rgba="1 0 0 0.5" mass="2"/>
      <site name="tool" pos="1 1 1" euler="0 0 90"/>
      <body name="ball" pos="0 0 1"><joint name="ball" type="ball" pos="0 0.1 0"/>
        <geom class="big"/></body>
      <body name="welded" pos="1 0 0"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
    </body>
  </worldbody>
  <equality><connect name="c" body1="ball" body2="free" anchor="0 0 0"/></equality>
</mujoco>
""",
    """<mujoco>
  <worldbody>
    <replicate count="3" offset="1 0 0" euler="0 0 10">
      <body><joint axis="0 0 1" range="-1 1" limited="true"/>
        <geom type="sphere" size="0.1" density="500"/></body>
    </replicate>
    <body name="a"><joint name="ja" axis="1 0 0"/><geom size="0.1"/></body>
    <body name="b" pos="1 0 0"><joint name="jb" axis="1 0 0"/><geom size="0.1"/></body>
  </worldbody>
  <equality><joint joint1="ja" joint2="jb" polycoef="0.1 2 0 0 0"/>
    <weld body1="a" body2="b" active="false"/></equality>
  <actuator><motor joint="ja" gear="10"/></actuator>
</mujoco>
""",
)

CLOSURES = (
    """- name: pin
  type: revolute
  axis: [0, 1, 0]
  frame_a: {frame: coupler, xyz: [0.6, 0, 0]}
  frame_b: {frame: rocker, xyz: [0.5, 0, 0], rpy: [0, 0, 1.57]}
- name: tie
  type: fixed_distance
  length: 0.4
  frame_a: crank
  frame_b: rocker
""",
    """# a closure with what many share
- &pin
  name: x
  type: universal
  first: [1, 0, 0]
  second: &z [0, 0, 1]
  frame_a: coupler
  frame_b: {frame: rocker, xyz: *z}
- {<<: *pin, name: y}
""",
)

TABLE = "time,a,b,c\n0,1,2,3\n0.5,3,4,5\n1.0,-1e-3,2e2,0\n"

SCENARIO = """name = "case"
description = "everything at once"
model = "double_pendulum"
duration = 1.0
step = 0.001
every = 2
integrator = "dormand-prince"
relative = 1e-6
absolute = 1e-8

[initial]
q = [0.1, 0.2]
v = 0.0

[control]
kind = "pd"
target = [0.5, -0.5]
stiffness = 100
damping = [20, 10.5]

[forces]
damping = true
friction = true
slip = 1e-3
stops = { stiffness = 1e4, damping = 10 }

[wrenches]
tip = [0, 0, 1, 0, 0, 0]

[[events]]
time = 0.5
kind = "pick-up"
frame = "tip"
body = "load"
mass = 1.5
com = [0, 0, 0.1]
inertia = [0.1, 0.1, 0.1]

[[events]]
time = 0.75
kind = "drop"
body = "load"
"""

DRIVES = """model = "double_pendulum"
duration = 0.5

[initial.degrees]
shoulder = 30

[control]
kind = "inverse-dynamics"
friction = true

[control.trajectory]
kind = "wave"
period = 2.0
width = [0.1, 0.2]
phase = 0.5

[drives.shoulder]
rated = 90.0
break-away = 2.6
load = [0.0, 0.1, 1.0]
efficiency = [0.3, 0.6, 0.8]
journal = { friction = 0.1, radius = 0.07, span = 0.1 }

[drives.elbow]
viscous = 0.1
coulomb = 0.2
"""

SDF = (
    """<?xml version="1.0"?>
<sdf version="1.9"><world name="w"><gravity>0 0.1 -9.8</gravity>
<model name="linkage"><pose>0 0 1 0 0.1 0</pose>
  <link name="crank"><inertial><pose>0.1 0 0 0 0.1 0</pose><mass>1.5</mass>
    <inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.02</izz><ixy>0.001</ixy></inertia></inertial>
    <visual name="v"><pose>0 0 0.1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>
      <material><diffuse>1 0 0 1</diffuse></material></visual></link>
  <link name="coupler"><pose relative_to="crank">0.2 0 0 0 0.3 0</pose>
    <visual name="v"><geometry><mesh><uri>model://linkage/coupler.stl</uri></mesh></geometry></visual>
    <inertial><mass>1</mass></inertial></link>
  <link name="rocker"><pose degrees="true">0.7 0 0 0 20 0</pose></link>
  <frame name="end" attached_to="rocker"><pose>0.5 0 0 0 0 0</pose></frame>
  <joint name="a" type="revolute"><parent>world</parent><child>crank</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>-1</effort></limit>
      <dynamics><damping>0.1</damping><spring_stiffness>2</spring_stiffness></dynamics></axis></joint>
  <joint name="b" type="universal"><parent>crank</parent><child>coupler</child>
    <axis><xyz expressed_in="__model__">0 1 0</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>
  <joint name="c" type="continuous"><parent>world</parent><child>rocker</child>
    <axis><xyz>0 1 0</xyz><dynamics><friction>0.1</friction></dynamics></axis></joint>
  <joint name="d" type="ball"><pose relative_to="end"/><parent>coupler</parent>
    <child>end</child></joint>
</model></world></sdf>
""",
    """<sdf version="1.4"><model name="press">
  <link name="base"/><link name="nut"><inertial><mass>0.2</mass></inertial></link>
  <link name="plate"><pose frame="">0 0 0.3 0 0 0</pose></link>
  <joint name="screw" type="screw"><parent>base</parent><child>nut</child>
    <thread_pitch>-600</thread_pitch><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="slide" type="prismatic"><parent>nut</parent><child>plate</child>
    <axis><xyz>0 0 1</xyz><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis></joint>
</model></sdf>
""",
)

PARALLEL = (
    """closed_loop: [["coupler", "d"], [crank, rocker]]
type: ["3d", 6D]
name_mot: ["a"]
joint_name: [b, d]
joint_type: ["SPHERICAL", "UJOINT_XY"]
""",
    "closed_loop:\n  - [coupler, rocker]\nname_mot: []\njoint_name: [b]\njoint_type: [FIXED]\n",
)
