"""A mechanism as the algorithms read it: nodes, frames, regrouped inertias, and walks over them."""
