"""Python and NumPy C API in LLVM assembly: arrays read, checked, allocated, released.

What belongs to the process (types, C functions) is read from a table of pointers, `Slot`, so the
object code can be kept on disk. The fields of an array follow ``PyObject_HEAD`` in the order of
NumPy's public ``PyArrayObject_fields``.
"""

from __future__ import annotations

from enum import IntEnum

from phalanx.kernel.graph.graph import Port
from phalanx.kernel.llvm.emit_llvm import RECORD_BYTES
from phalanx.kernel.llvm.ir_text import Code, Vector

TABLE = "phalanx_table"


class Slot(IntEnum):
    """Places in the table of pointers."""

    ARRAY_TYPE = 0
    DTYPE = 1
    NEW_ARRAY = 2  # PyArray_NewFromDescr
    VECTORCALL = 3  # PyObject_Vectorcall
    INCREMENT = 4  # Py_IncRef
    DECREMENT = 5  # Py_DecRef
    RESULT_TYPE = 6  # the named tuple of several outputs
    OUT = 7  # the interned string "out"
    NO_MEMORY = 8  # PyErr_NoMemory


# offsets in an object and, after its head, in an array
TYPE = 8
DATA, AXES, DIMENSIONS, DESCRIPTOR, FLAGS = 0, 8, 16, 40, 48
# a tuple is a head, its size and its items
TUPLE_SIZE, TUPLE_ITEMS = 0, 8
READABLE = 0x0001 | 0x0100  # C-contiguous, aligned
WRITEABLE = READABLE | 0x0400


class ObjectCode:
    """Assembly of a function that serves the usual case, and leaves others to the general call.

    It first loads ``records`` (of the arrays), ``array_type`` and ``dtype``.
    """

    records: str
    array_type: str
    dtype: str

    def __init__(self, kind: Vector, head_bytes: int) -> None:
        """Begin.

        Args:
            kind: The type of the elements.
            head_bytes: Size of ``PyObject_HEAD``.
        """
        self.kind = kind
        self.head = head_bytes
        self.code = Code()
        self.general = self.code.label("general")

    def require(self, condition: str) -> None:
        """Go on if the condition holds, else leave it to the general call."""
        following = self.code.label("checked")
        self.code.do(f"br i1 {condition}, label %{following}, label %{self.general}")
        self.code.place(following)

    def table(self, slot: Slot) -> str:
        """A pointer from the table."""
        return self.code.value(f"load ptr, ptr {self.code.offset('@' + TABLE, 8 * slot)}")

    def field(self, item: str, unit: str, offset: int) -> str:
        """A field behind the head of an object."""
        where = self.code.offset(item, self.head + offset)
        return self.code.value(f"load {unit}, ptr {where}")

    def check_array(self, array: str, flags: int) -> None:
        """Exactly a NumPy array of our dtype with these flags."""
        code = self.code
        own_type = code.value(f"load ptr, ptr {code.offset(array, TYPE)}")
        self.require(code.value(f"icmp eq ptr {own_type}, {self.array_type}"))
        descriptor = self.field(array, "ptr", DESCRIPTOR)
        self.require(code.value(f"icmp eq ptr {descriptor}, {self.dtype}"))
        present = code.value(f"and i32 {self.field(array, 'i32', FLAGS)}, {flags}")
        self.require(code.value(f"icmp eq i32 {present}, {flags}"))

    def describe(self, p: int, port: Port, array: str, extra: str) -> None:
        """Write the record of an array: address, sample stride (0 without batch axis), item."""
        code, item = self.code, self.kind.item_bytes
        stride = code.value(f"mul i64 {extra}, {port.size * item}")
        data = self.field(array, "ptr", DATA)
        for position, field in enumerate((f"ptr {data}", f"i64 {stride}", f"i64 {item}")):
            where = code.offset(self.records, p * RECORD_BYTES + 8 * position)
            code.do(f"store {field}, ptr {where}")

    def make_outputs(self, made: str, shapes: list[tuple[str, str]]) -> None:
        """New arrays of these shapes; none is left when memory runs out."""
        code = self.code
        new_array, increment, decrement = (
            self.table(slot) for slot in (Slot.NEW_ARRAY, Slot.INCREMENT, Slot.DECREMENT)
        )
        for j, (dimensions, axes) in enumerate(shapes):
            code.do(f"call void {increment}(ptr {self.dtype})")  # the constructor takes it
            array = code.value(
                f"call ptr {new_array}(ptr {self.array_type}, ptr {self.dtype}, i32 {axes}, "
                f"ptr {dimensions}, ptr null, ptr null, i32 0, ptr null)"
            )
            good, failed = code.label("good"), code.label("failed")
            missing = code.value(f"icmp eq ptr {array}, null")
            code.do(f"br i1 {missing}, label %{failed}, label %{good}")
            code.place(failed)
            self.release(made, j, decrement)
            code.do("ret ptr null")
            code.place(good)
            code.do(f"store ptr {array}, ptr {code.offset(made, 8 * j)}")

    def release(self, made: str, count: int, decrement: str) -> None:
        """Give back the first ``count`` arrays."""
        for j in range(count):
            array = self.code.value(f"load ptr, ptr {self.code.offset(made, 8 * j)}")
            self.code.do(f"call void {decrement}(ptr {array})")
