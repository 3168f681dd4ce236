"""Node tree of a mechanism: nodes, frames, regrouped inertias, outward and inward passes."""
