"""What the loops of a machine demand, over symbols: equations, and how far they are from met."""
