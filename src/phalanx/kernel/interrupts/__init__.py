"""Ctrl-C (SIGINT) during native code: interruptible calls and their worker threads."""
