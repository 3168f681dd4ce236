"""Operation counts of one processor as the source prints them: formulas, tables, misprints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from phalanx.studies.polynomials import PublishedCount, polynomial

Count = tuple[int, int]  # multiplications, additions


class CountedPart(StrEnum):
    """Parts of forward dynamics that are counted."""

    FORCE = "force vector"
    INERTIA = "inertia matrix"
    SOLVER = "solver"
    TOTAL = "total"


_CHOLESKY = (polynomial(0, "-2/3", "3/2", "1/6"), polynomial(0, "-7/6", 1, "1/6"))

# Table 3.1; Bae's and Featherstone's rows are given in the text
TABLE_3_1: dict[CountedPart, dict[str, PublishedCount]] = {
    CountedPart.FORCE: {
        "Proposed": PublishedCount("Wong", polynomial(-44, 77, 3), polynomial(-43, 62, 3)),
        "Angeles": PublishedCount("Angeles, Ma", polynomial(-99, 105), polynomial(-95, 90)),
        "Walker": PublishedCount("Walker, Orin", polynomial(-22, 137), polynomial(-11, 101)),
        "He": PublishedCount("He, Goldenberg", polynomial(-97, 91), polynomial(-96, 86)),
    },
    CountedPart.INERTIA: {
        "Proposed": PublishedCount(
            "Wong", polynomial(8, "-49/2", "39/2", 1), polynomial(5, "-61/3", "29/2", "5/6")
        ),
        "Walker": PublishedCount("Walker, Orin", polynomial(-27, 56, 12), polynomial(-53, 67, 7)),
        "Angeles": PublishedCount(
            "Angeles, Ma", polynomial(8, "-33/2", "39/2", 1), polynomial(5, "-46/3", "29/2", "5/6")
        ),
        "Fijany": PublishedCount(
            "Fijany, Bejczy", polynomial(-181, "231/2", "9/2"), polynomial(-137, 88, 4)
        ),
        "Lilly I": PublishedCount(
            "Lilly, Orin", polynomial(12, -35, 22, 1), polynomial(10, -26, 15, 1)
        ),
        "Lilly III": PublishedCount(
            "Lilly, Orin", polynomial(-37, "49/2", "25/2"), polynomial(-48, 40, 8)
        ),
    },
    CountedPart.SOLVER: {
        "Proposed": PublishedCount("Cholesky", *_CHOLESKY),
        "Angeles": PublishedCount(
            "Cholesky", polynomial(0, "4/3", "3/2", "1/6"), polynomial(0, "1/3", "3/2", "1/6")
        ),
        "Walker": PublishedCount("Cholesky", *_CHOLESKY),
    },
    CountedPart.TOTAL: {
        "Proposed": PublishedCount(
            "Wong", polynomial(-36, "311/6", 24, "7/6"), polynomial(-38, "81/2", "37/2", 1)
        ),
        "Angeles": PublishedCount(
            "Angeles, Ma", polynomial(-91, "539/6", 21, "7/6"), polynomial(-90, 75, 16, 1)
        ),
        "Walker": PublishedCount(
            "Walker, Orin",
            polynomial(-49, "577/3", "27/2", "1/6"),
            polynomial(-64, "1001/6", 8, "1/6"),
        ),
        "Brandl": PublishedCount("Brandl et al.", polynomial(-222, 250), polynomial(-198, 220)),
        "Featherstone": PublishedCount(
            "Featherstone, without forces", polynomial(-198, 199), polynomial(-173, 174)
        ),
        "Bae": PublishedCount(
            "Bae, Haug, without solver", polynomial(-36, 186, 3), polynomial(-78, "411/2", "5/2")
        ),
    },
}

# by quantity and the name of the method here; the force vector of the complement is left out, for
# its count takes H as given
BY_METHOD: dict[str, dict[str, PublishedCount]] = {
    "inverse_dynamics": {"natural_complement": TABLE_3_1[CountedPart.FORCE]["Angeles"]},
    "forward_dynamics": {
        "orthogonal_complement": TABLE_3_1[CountedPart.TOTAL]["Proposed"],
        "factorized": TABLE_3_1[CountedPart.TOTAL]["Walker"],
        "articulated_body": TABLE_3_1[CountedPart.TOTAL]["Brandl"],
    },
    "mass_matrix": {
        "orthogonal_complement": TABLE_3_1[CountedPart.INERTIA]["Proposed"],
        "composite_body": TABLE_3_1[CountedPart.INERTIA]["Walker"],
        "in_root_frame_spatial_composite": TABLE_3_1[CountedPart.INERTIA]["Fijany"],
    },
}

# Tables 3.2, 3.3 and 3.5 as printed: method to the counts of chains of so many joints
TABLE_3_2: dict[str, dict[int, Count]] = {
    "Proposed": {4: (286, 209), 5: (498, 370), 6: (779, 585), 7: (1135, 851)},
    "Walker": {4: (389, 327), 5: (555, 457), 6: (741, 601), 7: (953, 759)},
    "Angeles": {4: (318, 229), 5: (538, 395), 6: (827, 615), 7: (1191, 894)},
    "Fijany": {4: (353, 279), 5: (509, 403), 6: (664, 535), 7: (848, 675)},
    "Lilly I": {4: (288, 210), 5: (512, 380), 6: (810, 610), 7: (1188, 906)},
    "Lilly III": {4: (261, 240), 5: (398, 352), 6: (560, 480), 7: (747, 624)},
}
TABLE_3_3: dict[str, dict[int, Count]] = {
    "Proposed": {
        **{4: (312, 253), 5: (416, 342), 6: (526, 437), 7: (642, 538)},
        **{8: (764, 645), 9: (892, 758), 10: (1026, 877)},
    },
    "Angeles": {
        **{4: (321, 265), 5: (426, 355), 6: (536, 445), 7: (636, 535)},
        **{8: (741, 625), 9: (846, 715), 10: (951, 805)},
    },
    "Walker": {
        **{4: (526, 393), 5: (663, 494), 6: (800, 595), 7: (937, 696)},
        **{8: (1074, 797), 9: (1211, 898), 10: (1348, 999)},
    },
    "He": {
        **{4: (267, 248), 5: (358, 334), 6: (449, 420), 7: (540, 506)},
        **{8: (631, 592), 9: (722, 678), 10: (813, 764)},
    },
}
TABLE_3_5: dict[str, dict[int, Count]] = {
    "Proposed": {
        **{3: (367, 277), 4: (630, 484), 5: (969, 752), 6: (1391, 1087), 7: (1903, 1495)},
        **{8: (2512, 1982), 9: (3225, 2554), 10: (4049, 3217), 11: (4991, 3977), 12: (6058, 4840)},
    },
    "Angeles": {
        **{3: (399, 306), 4: (679, 530), 5: (1029, 810), 6: (1456, 1152), 7: (1967, 1562)},
        **{8: (2569, 2046), 9: (3269, 2610), 10: (4074, 3260), 11: (4991, 4002), 12: (6027, 4842)},
    },
    "Walker": {
        **{3: (631, 513), 4: (907, 742), 5: (1208, 991), 6: (1537, 1261), 7: (1893, 1553)},
        **{8: (2279, 1868), 9: (2694, 2207), 10: (3141, 2571), 11: (3619, 2961), 12: (4131, 3378)},
    },
    "Brandl": {
        **{3: (528, 462), 4: (778, 682), 5: (1028, 902), 6: (1278, 1122), 7: (1528, 1342)},
        **{8: (1778, 1562), 9: (2028, 1782), 10: (2278, 2002), 11: (2528, 2222), 12: (2778, 2442)},
    },
}
TABLES = {
    "3.2": (CountedPart.INERTIA, TABLE_3_2),
    "3.3": (CountedPart.FORCE, TABLE_3_3),
    "3.5": (CountedPart.TOTAL, TABLE_3_5),
}


@dataclass(frozen=True)
class Misprint:
    """An entry of a table that its own formula does not give.

    Attributes:
        table: Number of the table.
        method: Row of Table 3.1.
        joints: Of the chain.
        operation: ``multiply`` or ``add``.
        printed: What the table says.
        formula: What the formula of Table 3.1 gives.
    """

    table: str
    method: str
    joints: int
    operation: str
    printed: int
    formula: int


def regenerated(table: str) -> dict[str, dict[int, Count]]:
    """A table from the formulas of Table 3.1, with the rows and columns that are printed.

    Half operations, of formulas that are not whole for every n, are left away as the source does.
    """
    part, printed = TABLES[table]
    return {
        method: {
            n: (int(TABLE_3_1[part][method].multiply(n)), int(TABLE_3_1[part][method].add(n)))
            for n in row
        }
        for method, row in printed.items()
    }


def misprints() -> list[Misprint]:
    """Every entry of Tables 3.2, 3.3 and 3.5 that differs from its formula."""
    found = []
    for table, (_, printed) in TABLES.items():
        formulas = regenerated(table)
        for method, row in printed.items():
            for n, counts in row.items():
                for operation, stands, is_ in zip(
                    ("multiply", "add"), counts, formulas[method][n], strict=True
                ):
                    if stands != is_:
                        found.append(Misprint(table, method, n, operation, stands, is_))
    return found
