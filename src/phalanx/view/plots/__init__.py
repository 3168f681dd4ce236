"""Still and moving pictures of machines and runs, without a browser."""
