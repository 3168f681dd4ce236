"""LLVM code generation: vectors, elementary functions, targets, linking, object cache."""
