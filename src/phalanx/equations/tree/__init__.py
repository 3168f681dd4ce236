"""A mechanism as the algorithms read it: nodes, frames, regrouped inertias, passes over them."""
