"""One program on several processors that share a memory."""
