"""The tables of docs/sources_*.md: ours is what the product computes, and every difference has its
reason.
"""

import pytest

from papers.printed import SOURCES, agrees, as_printed, page_of, tables

TABLES = [
    pytest.param(
        table,
        id=f"{source}-{table.ours or table.title}",
        marks=[pytest.mark.slow] if table.slow else [],
    )
    for source in SOURCES
    for table in tables(source)
]


@pytest.mark.parametrize("table", TABLES)
def test_ours_is_what_the_product_computes(table):
    """Each value anew: equal to the printed one, or shown as it is, with the reason."""
    if table.ours is None:
        assert all(row.why for row in table.rows)
    else:
        for row, value in zip(table.rows, table.values(), strict=True):
            same = agrees(row.printed, value)
            assert same or row.why, f"{row.what}: {row.printed}, ours {value}"
            assert not (same and row.why), f"{row.what} needs no reason: {value}"
    text = page_of(table.source).read_text(encoding="utf-8")
    assert table.block in text, "python tests/papers/printed.py"


@pytest.mark.parametrize("source", SOURCES)
def test_the_page_has_these_tables_and_no_others(source):
    text = page_of(source).read_text(encoding="utf-8")
    titles = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    assert titles == [table.title for table in tables(source)]
    assert all(any(row.what for row in table.rows) for table in tables(source))


@pytest.mark.parametrize(
    ("printed", "value", "same", "shown"),
    [
        ("286, 209", (286, 209), True, "286, 209"),
        ("851", 859, False, "859"),
        ("0.110", 0.1104, True, "0.110"),
        ("0.110", 0.1106, False, "0.111"),
        ("-8.3e-5", -8.29e-5, True, "-8.3e-5"),
        ("2.1e-4", 2.25e-4, False, "2.2e-4"),
        ("15 M + 43 A", (15, 44), False, "15 M + 44 A"),
        ("0.02", -0.001, False, "0.00"),
        ("fails", "runs", False, "runs"),
    ],
)
def test_values_are_compared_to_the_last_printed_digit(printed, value, same, shown):
    assert agrees(printed, value) == same
    assert as_printed(printed, value) == shown
