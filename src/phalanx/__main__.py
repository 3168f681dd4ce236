"""``python -m phalanx``: the command line."""

from phalanx.cli import app

if __name__ == "__main__":
    app(prog_name="phalanx")
