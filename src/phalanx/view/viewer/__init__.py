"""Viewer: pose a machine in the browser by sliders and handles."""
