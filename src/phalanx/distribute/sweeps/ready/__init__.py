"""Ready-made studies: functions of a case, and sensitivity of their results."""
