"""Web server of pages: authentication, access control, sessions, messages, task queue."""
