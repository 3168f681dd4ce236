"""Studies ready to run: functions of a case, and what is made of many."""
