"""What is small and general: errors, checked arguments, guarded files, lazy imports."""
