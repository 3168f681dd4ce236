"""Ctrl-C and native code: what can be ended, and who waits for whom."""
