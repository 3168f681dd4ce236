"""Loops as numbers: postures that close, ranks, bases, motions that fit."""
