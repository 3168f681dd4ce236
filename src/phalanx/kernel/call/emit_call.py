"""A function that CPython calls directly, as LLVM assembly: no interpreter before the arithmetic.

``call`` has the calling convention ``METH_FASTCALL | METH_KEYWORDS``. It serves the usual calls:
every argument is exactly a NumPy array of the right dtype, contiguous and aligned, with no
batch axis or one, of the same length for all; the work is short enough to keep the interpreter
waiting; there is no keyword, or only ``out`` with a fitting array. Anything else goes, arguments
untouched, to the general call, which is the function's ``self``; so there is one set of rules.

What belongs to the process (types, C functions) is read from a table of pointers, `Slot`, so the
object code can be kept on disk. The fields of an array follow ``PyObject_HEAD`` in the order of
NumPy's public ``PyArrayObject_fields``.
"""

from __future__ import annotations

from enum import IntEnum

from phalanx.kernel.graph.graph import Graph, Port
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
_TYPE = 8
_DATA, _AXES, _DIMENSIONS, _DESCRIPTOR, _FLAGS = 0, 8, 16, 40, 48
# a tuple is a head, its size and its items
_TUPLE_SIZE, _TUPLE_ITEMS = 0, 8
_READABLE = 0x0001 | 0x0100  # C-contiguous, aligned
_WRITEABLE = _READABLE | 0x0400


def emit_call(graph: Graph, kind: Vector, head_bytes: int, most_samples: int) -> str:
    """The function, and the declaration of the table it reads.

    Args:
        graph: Whose inputs and outputs are passed.
        kind: The type of the elements.
        head_bytes: Size of ``PyObject_HEAD``.
        most_samples: Longest batch to evaluate while the interpreter waits.
    """
    body = _CallBody(kind, head_bytes, graph.inputs, graph.outputs)
    lines = body.emit(most_samples)
    head = "define ptr @call(ptr %self, ptr %arguments, i64 %count, ptr %names) nounwind {"
    data = [
        f"@{TABLE} = external global [{len(Slot)} x ptr]",
        "@no_batch = private constant i64 -1",
    ]
    return "\n".join([*data, "", head, "entry:", *lines, "}"])


class _CallBody:
    """Writes the body of ``call``, from its checks to its returns."""

    def __init__(
        self, kind: Vector, head_bytes: int, inputs: tuple[Port, ...], outputs: tuple[Port, ...]
    ) -> None:
        self.kind = kind
        self.head = head_bytes
        self.inputs = inputs
        self.outputs = outputs
        self.code = Code()
        self.general = self.code.label("general")

    def emit(self, most_samples: int) -> list[str]:
        """All lines."""
        code = self.code
        ports = len(self.inputs) + len(self.outputs)
        self.records = code.value(f"alloca [{max(1, RECORD_BYTES * ports)} x i8], align 8")
        made = code.value(f"alloca [{len(self.outputs)} x ptr], align 8")
        dimensions = [
            code.value(f"alloca [{1 + len(port.shape)} x i64], align 8") for port in self.outputs
        ]
        self._require(code.value(f"icmp eq i64 %count, {len(self.inputs)}"))
        self.array_type = self._table(Slot.ARRAY_TYPE)
        self.dtype = self._table(Slot.DTYPE)
        out = self._keyword_out()

        batch = "-1"
        data = []
        for p, port in enumerate(self.inputs):
            array = code.value(f"load ptr, ptr {code.offset('%arguments', 8 * p)}")
            batch = self._check_input(p, port, array, batch)
            data.append((self._field(array, "ptr", _DATA), port))
        batched = code.value(f"icmp ne i64 {batch}, -1")
        samples = code.value(f"select i1 {batched}, i64 {batch}, i64 1")
        above_one = code.value(f"sub i64 {samples}, 1")
        self._require(code.value(f"icmp ult i64 {above_one}, {most_samples}"))
        extra = code.value(f"zext i1 {batched} to i64")

        # the shapes of the outputs: with the batch axis in front, or from behind it
        shapes = []
        for port, place in zip(self.outputs, dimensions, strict=True):
            for axis, size in enumerate((samples, *port.shape)):
                code.do(f"store i64 {size}, ptr {code.offset(place, 8 * axis)}")
            skipped = code.value(f"select i1 {batched}, i64 0, i64 8")
            axes = code.value(f"add i64 {extra}, {len(port.shape)}")
            shapes.append((code.offset(place, skipped), code.value(f"trunc i64 {axes} to i32")))

        fresh, run = code.label("fresh"), code.label("run")
        if len(self.outputs) == 1:
            given = code.label("given")
            missing = code.value(f"icmp eq ptr {out}, null")
            code.do(f"br i1 {missing}, label %{fresh}, label %{given}")
            code.place(given)
            self._use_out(out, self.outputs[0], shapes[0], samples, extra, data)
            code.do(f"store ptr {out}, ptr {made}")
            code.do(f"br label %{run}")
        else:
            code.do(f"br label %{fresh}")
        code.place(fresh)
        self._make_outputs(made, shapes)
        code.do(f"br label %{run}")

        code.place(run)
        for j, port in enumerate(self.outputs):
            array = code.value(f"load ptr, ptr {code.offset(made, 8 * j)}")
            self._describe(len(self.inputs) + j, port, array, extra)
        failed = code.value(f"call i32 @run(ptr {self.records}, i64 0, i64 {samples}, ptr null)")
        finished, no_memory = code.label("finished"), code.label("no_memory")
        good = code.value(f"icmp eq i32 {failed}, 0")
        code.do(f"br i1 {good}, label %{finished}, label %{no_memory}")
        code.place(no_memory)
        self._release(made, len(self.outputs), self._table(Slot.DECREMENT))
        nothing = code.value(f"call ptr {self._table(Slot.NO_MEMORY)}()")
        code.do(f"ret ptr {nothing}")
        code.place(finished)
        self._return(made)

        code.place(self.general)
        result = code.value(
            f"call ptr {self._table(Slot.VECTORCALL)}"
            "(ptr %self, ptr %arguments, i64 %count, ptr %names)"
        )
        code.do(f"ret ptr {result}")
        return code.lines

    def _require(self, condition: str) -> None:
        """Go on if the condition holds, else leave it to the general call."""
        following = self.code.label("checked")
        self.code.do(f"br i1 {condition}, label %{following}, label %{self.general}")
        self.code.place(following)

    def _table(self, slot: Slot) -> str:
        return self.code.value(f"load ptr, ptr {self.code.offset('@' + TABLE, 8 * slot)}")

    def _field(self, item: str, unit: str, offset: int) -> str:
        where = self.code.offset(item, self.head + offset)
        return self.code.value(f"load {unit}, ptr {where}")

    def _keyword_out(self) -> str:
        """The array passed as ``out``, or null; no other keyword is served."""
        code = self.code
        plain, named, known = code.label("plain"), code.label("named"), code.label("known")
        absent = code.value("icmp eq ptr %names, null")
        code.do(f"br i1 {absent}, label %{plain}, label %{named}")
        code.place(named)
        size = self._field("%names", "i64", _TUPLE_SIZE)
        self._require(code.value(f"icmp eq i64 {size}, 1"))
        name = self._field("%names", "ptr", _TUPLE_ITEMS)
        self._require(code.value(f"icmp eq ptr {name}, {self._table(Slot.OUT)}"))
        self._require("true" if len(self.outputs) == 1 else "false")
        passed = code.value(f"load ptr, ptr {code.offset('%arguments', 8 * len(self.inputs))}")
        last = code.label("last")
        code.do(f"br label %{last}")
        code.place(last)
        code.do(f"br label %{known}")
        code.place(plain)
        code.do(f"br label %{known}")
        code.place(known)
        return code.value(f"phi ptr [ null, %{plain} ], [ {passed}, %{last} ]")

    def _check_array(self, array: str, flags: int) -> None:
        """Exactly a NumPy array of our dtype with these flags."""
        code = self.code
        own_type = code.value(f"load ptr, ptr {code.offset(array, _TYPE)}")
        self._require(code.value(f"icmp eq ptr {own_type}, {self.array_type}"))
        descriptor = self._field(array, "ptr", _DESCRIPTOR)
        self._require(code.value(f"icmp eq ptr {descriptor}, {self.dtype}"))
        present = code.value(f"and i32 {self._field(array, 'i32', _FLAGS)}, {flags}")
        self._require(code.value(f"icmp eq i32 {present}, {flags}"))

    def _check_input(self, p: int, port: Port, array: str, batch: str) -> str:
        """Check and describe an input; returns the length of the batch so far, -1 for none."""
        code = self.code
        self._check_array(array, _READABLE)
        axes = code.value(f"zext i32 {self._field(array, 'i32', _AXES)} to i64")
        extra = code.value(f"sub i64 {axes}, {len(port.shape)}")
        self._require(code.value(f"icmp ult i64 {extra}, 2"))
        dimensions = self._field(array, "ptr", _DIMENSIONS)
        batched = code.value(f"icmp eq i64 {extra}, 1")
        where = code.value(f"select i1 {batched}, ptr {dimensions}, ptr @no_batch")
        own = code.value(f"load i64, ptr {where}")
        skipped = code.value(f"mul i64 {extra}, 8")
        trailing = code.offset(dimensions, skipped)
        for axis, size in enumerate(port.shape):
            found = code.value(f"load i64, ptr {code.offset(trailing, 8 * axis)}")
            self._require(code.value(f"icmp eq i64 {found}, {size}"))
        first = code.value(f"icmp eq i64 {batch}, -1")
        equal = code.value(f"icmp eq i64 {own}, {batch}")
        either = code.value(f"or i1 {first}, {equal}")
        unbatched = code.value(f"icmp eq i64 {own}, -1")
        self._require(code.value(f"or i1 {either}, {unbatched}"))
        self._describe(p, port, array, extra)
        return code.value(f"select i1 {unbatched}, i64 {batch}, i64 {own}")

    def _describe(self, p: int, port: Port, array: str, extra: str) -> None:
        """Write the record of an array: address, sample stride (0 without batch axis), item."""
        code, item = self.code, self.kind.item_bytes
        stride = code.value(f"mul i64 {extra}, {port.size * item}")
        data = self._field(array, "ptr", _DATA)
        for position, field in enumerate((f"ptr {data}", f"i64 {stride}", f"i64 {item}")):
            where = code.offset(self.records, p * RECORD_BYTES + 8 * position)
            code.do(f"store {field}, ptr {where}")

    def _use_out(
        self,
        out: str,
        port: Port,
        shape: tuple[str, str],
        samples: str,
        extra: str,
        data: list[tuple[str, Port]],
    ) -> None:
        """Check the caller's array: shape, writeable, and apart from every input."""
        code = self.code
        self._check_array(out, _WRITEABLE)
        wanted, axes = shape
        self._require(code.value(f"icmp eq i32 {self._field(out, 'i32', _AXES)}, {axes}"))
        dimensions = self._field(out, "ptr", _DIMENSIONS)
        # a batch axis shifts both lists alike; without one the last comparison repeats the first
        for axis in range(len(port.shape) + 1):
            bounded = code.value(f"icmp slt i32 {axis}, {axes}")
            step = code.value(f"select i1 {bounded}, i64 {8 * axis}, i64 0")
            readable = code.value(f"icmp ne i32 {axes}, 0")
            source = code.value(f"select i1 {readable}, ptr {dimensions}, ptr {wanted}")
            found = code.value(f"load i64, ptr {code.offset(source, step)}")
            expected = code.value(f"load i64, ptr {code.offset(wanted, step)}")
            self._require(code.value(f"icmp eq i64 {found}, {expected}"))
        start = self._field(out, "ptr", _DATA)
        item = self.kind.item_bytes
        end = code.offset(start, code.value(f"mul i64 {samples}, {port.size * item}"))
        for source, source_port in data:
            length = code.value(f"mul i64 {samples}, {source_port.size * item}")
            before = code.value(f"icmp ule ptr {code.offset(source, length)}, {start}")
            behind = code.value(f"icmp uge ptr {source}, {end}")
            self._require(code.value(f"or i1 {before}, {behind}"))
        code.do(f"call void {self._table(Slot.INCREMENT)}(ptr {out})")

    def _make_outputs(self, made: str, shapes: list[tuple[str, str]]) -> None:
        code = self.code
        new_array, increment, decrement = (
            self._table(slot) for slot in (Slot.NEW_ARRAY, Slot.INCREMENT, Slot.DECREMENT)
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
            self._release(made, j, decrement)
            code.do("ret ptr null")
            code.place(good)
            code.do(f"store ptr {array}, ptr {code.offset(made, 8 * j)}")

    def _return(self, made: str) -> None:
        code = self.code
        if len(self.outputs) == 1:
            code.do(f"ret ptr {code.value(f'load ptr, ptr {made}')}")
            return
        result = code.value(
            f"call ptr {self._table(Slot.VECTORCALL)}(ptr {self._table(Slot.RESULT_TYPE)}, "
            f"ptr {made}, i64 {len(self.outputs)}, ptr null)"
        )
        self._release(made, len(self.outputs), self._table(Slot.DECREMENT))
        code.do(f"ret ptr {result}")

    def _release(self, made: str, count: int, decrement: str) -> None:
        for j in range(count):
            array = self.code.value(f"load ptr, ptr {self.code.offset(made, 8 * j)}")
            self.code.do(f"call void {decrement}(ptr {array})")
