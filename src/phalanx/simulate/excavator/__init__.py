"""Excavators with an operator: control of the spools, machines ready to drive, fleets of them."""
