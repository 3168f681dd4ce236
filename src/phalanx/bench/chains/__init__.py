"""Long chains: how exact and how fast each method is, beside references and other libraries."""
