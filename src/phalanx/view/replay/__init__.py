"""A recorded run in the browser."""
