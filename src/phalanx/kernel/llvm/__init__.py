"""A program as LLVM assembly and as object code: vectors, elementary functions, targets, cache."""
