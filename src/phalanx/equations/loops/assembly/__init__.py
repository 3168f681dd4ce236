"""Machines put together: loops closed as numbers, and the models that all equations start from."""
