"""Oil under pressure as an actuator: the rotary actuator of a source, and cylinders."""
