"""HTML reports of runs, one file each."""
