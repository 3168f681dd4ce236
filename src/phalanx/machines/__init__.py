"""Special machines: users of the general parts, which never know them."""
