"""The one printer: facts as text and as JSON."""

from __future__ import annotations

import json

from phalanx.base.facts import Fact, Facts, Styled, TextTable, TextTree
from phalanx.cli import console

FACTS = Facts(
    [
        "[bold]no markup[/]",
        (Styled("name", "bold"), " of several pieces"),
        Fact("latency", "3 Flops", {"latency": 3.0}),
        "",
        TextTable(
            "rows [m]",
            ["left"],
            [" right"],
            [("a", Styled("1", "red")), [], ("b [x]",)],
            "below [y]",
            values={"rows": [1]},
        ),
        TextTree([["root"], ["child [1]"], ["grandchild"]], [0, 1]),
    ],
    {"model": "arm"},
)


def test_text(capsys):
    console.print_facts(FACTS)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[:4] == [
        "[bold]no markup[/]",
        "name of several pieces",
        "latency           3 Flops",
        "",
    ]
    assert lines[4] == "rows [m]" and lines[5].split() == ["left", "right"]
    assert ["a", "1"] in [line.split() for line in lines] and "b [x]" in lines
    assert "below [y]" in [line.strip() for line in lines]
    assert lines[-3:] == ["root", "└── child [1]", "    └── grandchild"]


def test_json(capsys):
    console.print_facts(FACTS, json=True)
    assert json.loads(capsys.readouterr().out) == {"model": "arm", "latency": 3.0, "rows": [1]}


def test_a_table_without_heads_has_none(capsys):
    console.print_facts(Facts([TextTable("t", ["", ""], [], [("a", "b")], gap=1)]))
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [["t"], ["a", "b"]]
