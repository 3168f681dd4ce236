"""Bodies as a dimension of arrays: machines of any length, and parallel work inside one of them."""
