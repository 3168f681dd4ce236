"""A function that CPython calls directly, as LLVM assembly: one sample, no interpreter in between.

``call`` has the calling convention ``METH_FASTCALL | METH_KEYWORDS``. If every argument is
exactly a NumPy array of the right dtype and shape, contiguous and aligned, it makes the output
arrays, runs the kernel and returns. Anything else goes, arguments untouched, to the general call,
which is the function's ``self``; so there is one set of rules.

What belongs to the process (types, C functions) is read from a table of pointers, `Slot`, so the
object code can be kept on disk. The fields of an array follow ``PyObject_HEAD`` in the order of
NumPy's public ``PyArrayObject_fields``.
"""

from __future__ import annotations

from enum import IntEnum

from phalanx.kernel.emit_llvm import RECORD_BYTES
from phalanx.kernel.graph import Graph, Port
from phalanx.kernel.ir_text import Code, Vector

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


_TYPE = 8
_DATA, _DIMENSIONS_COUNT, _DIMENSIONS, _DESCRIPTOR, _FLAGS = 0, 8, 16, 40, 48
_CONTIGUOUS_AND_ALIGNED = 0x101


def emit_call(graph: Graph, kind: Vector, head_bytes: int) -> str:
    """The function and the table it needs.

    Args:
        graph: Whose inputs and outputs are passed.
        kind: The type of the elements.
        head_bytes: Size of ``PyObject_HEAD``.
    """
    code = Code()
    inputs, outputs = graph.inputs, graph.outputs
    records = code.value(
        f"alloca [{max(1, RECORD_BYTES * (len(inputs) + len(outputs)))} x i8], align 8"
    )
    made = code.value(f"alloca [{len(outputs)} x ptr], align 8")
    general = code.label("general")

    def require(condition: str) -> None:
        following = code.label("checked")
        code.do(f"br i1 {condition}, label %{following}, label %{general}")
        code.place(following)

    def table(slot: Slot) -> str:
        return code.value(f"load ptr, ptr {code.offset('@' + TABLE, 8 * slot)}")

    def describe(p: int, port: Port, array: str) -> None:
        data = code.value(f"load ptr, ptr {code.offset(array, head_bytes + _DATA)}")
        fields = (("ptr", data), ("i64", port.size * kind.item_bytes), ("i64", kind.item_bytes))
        for position, (unit, field) in enumerate(fields):
            where = code.offset(records, p * RECORD_BYTES + 8 * position)
            code.do(f"store {unit} {field}, ptr {where}")

    require(code.value("icmp eq ptr %names, null"))
    require(code.value(f"icmp eq i64 %count, {len(inputs)}"))
    array_type, dtype = table(Slot.ARRAY_TYPE), table(Slot.DTYPE)
    for p, port in enumerate(inputs):
        array = code.value(f"load ptr, ptr {code.offset('%arguments', 8 * p)}")
        own_type = code.value(f"load ptr, ptr {code.offset(array, _TYPE)}")
        require(code.value(f"icmp eq ptr {own_type}, {array_type}"))

        def field(unit: str, offset: int, array: str = array) -> str:
            return code.value(f"load {unit}, ptr {code.offset(array, head_bytes + offset)}")

        require(code.value(f"icmp eq ptr {field('ptr', _DESCRIPTOR)}, {dtype}"))
        flags = code.value(f"and i32 {field('i32', _FLAGS)}, {_CONTIGUOUS_AND_ALIGNED}")
        require(code.value(f"icmp eq i32 {flags}, {_CONTIGUOUS_AND_ALIGNED}"))
        axes = field("i32", _DIMENSIONS_COUNT)
        require(code.value(f"icmp eq i32 {axes}, {len(port.shape)}"))
        dimensions = field("ptr", _DIMENSIONS)
        for axis, size in enumerate(port.shape):
            found = code.value(f"load i64, ptr {code.offset(dimensions, 8 * axis)}")
            require(code.value(f"icmp eq i64 {found}, {size}"))
        describe(p, port, array)

    new_array, increment, decrement = (
        table(slot) for slot in (Slot.NEW_ARRAY, Slot.INCREMENT, Slot.DECREMENT)
    )
    for j, port in enumerate(outputs):
        code.do(f"call void {increment}(ptr {dtype})")  # the constructor takes a reference
        array = code.value(
            f"call ptr {new_array}(ptr {array_type}, ptr {dtype}, i32 {len(port.shape)}, "
            f"ptr @shape{j}, ptr null, ptr null, i32 0, ptr null)"
        )
        good, failed = code.label("made"), code.label("failed")
        missing = code.value(f"icmp eq ptr {array}, null")
        code.do(f"br i1 {missing}, label %{failed}, label %{good}")
        code.place(failed)
        _release(code, made, j, decrement)
        code.do("ret ptr null")
        code.place(good)
        code.do(f"store ptr {array}, ptr {code.offset(made, 8 * j)}")
        describe(len(inputs) + j, port, array)

    code.do(f"call void @run(ptr {records}, i64 0, i64 1)")
    if len(outputs) == 1:
        code.do(f"ret ptr {array}")
    else:
        result = code.value(
            f"call ptr {table(Slot.VECTORCALL)}(ptr {table(Slot.RESULT_TYPE)}, ptr {made}, "
            f"i64 {len(outputs)}, ptr null)"
        )
        _release(code, made, len(outputs), decrement)
        code.do(f"ret ptr {result}")

    code.place(general)
    result = code.value(
        f"call ptr {table(Slot.VECTORCALL)}(ptr %self, ptr %arguments, i64 %count, ptr %names)"
    )
    code.do(f"ret ptr {result}")

    head = "define ptr @call(ptr %self, ptr %arguments, i64 %count, ptr %names) nounwind {"
    shapes = [
        f"@shape{j} = private constant [{len(port.shape)} x i64] "
        f"[{', '.join(f'i64 {n}' for n in port.shape)}]"
        for j, port in enumerate(outputs)
    ]
    table_line = f"@{TABLE} = external global [{len(Slot)} x ptr]"
    return "\n".join([table_line, *shapes, "", head, "entry:", *code.lines, "}"])


def _release(code: Code, made: str, count: int, decrement: str) -> None:
    for j in range(count):
        array = code.value(f"load ptr, ptr {code.offset(made, 8 * j)}")
        code.do(f"call void {decrement}(ptr {array})")
