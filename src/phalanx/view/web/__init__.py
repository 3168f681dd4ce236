"""What pages share that talk with their server: who comes in, what is said, and by which thread."""
