"""Loop-closure equations over symbols, and their openings."""
