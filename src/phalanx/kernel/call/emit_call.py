"""Python entry point (``METH_FASTCALL``) as LLVM assembly: CPython calls machine code directly.

``call`` has the calling convention ``METH_FASTCALL | METH_KEYWORDS``. It serves the usual calls:
every argument is exactly a NumPy array of the right dtype, contiguous and aligned, with no
batch axis or one, of the same length for all; the work is short enough to keep the interpreter
waiting; there is no keyword, or only ``out`` with a fitting array. Anything else goes, arguments
untouched, to the general call, which is the function's ``self``; so there is one set of rules.

What belongs to the process is read from a table of pointers, whose places are `Slot`.
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


class _CallBody(ObjectCode):
    """Writes the body of ``call``, from its checks to its returns."""

    def __init__(
        self, kind: Vector, head_bytes: int, inputs: tuple[Port, ...], outputs: tuple[Port, ...]
    ) -> None:
        super().__init__(kind, head_bytes)
        self.inputs = inputs
        self.outputs = outputs

    def emit(self, most_samples: int) -> list[str]:
        """All lines."""
        code = self.code
        ports = len(self.inputs) + len(self.outputs)
        self.records = code.value(f"alloca [{max(1, RECORD_BYTES * ports)} x i8], align 8")
        made = code.value(f"alloca [{len(self.outputs)} x ptr], align 8")
        dimensions = [
            code.value(f"alloca [{1 + len(port.shape)} x i64], align 8") for port in self.outputs
        ]
        self.require(code.value(f"icmp eq i64 %count, {len(self.inputs)}"))
        self.array_type = self.table(Slot.ARRAY_TYPE)
        self.dtype = self.table(Slot.DTYPE)
        out = self._keyword_out()

        batch = "-1"
        data = []
        for p, port in enumerate(self.inputs):
            array = code.value(f"load ptr, ptr {code.offset('%arguments', 8 * p)}")
            batch = self._check_input(p, port, array, batch)
            data.append((self.field(array, "ptr", DATA), port))
        batched = code.value(f"icmp ne i64 {batch}, -1")
        samples = code.value(f"select i1 {batched}, i64 {batch}, i64 1")
        above_one = code.value(f"sub i64 {samples}, 1")
        self.require(code.value(f"icmp ult i64 {above_one}, {most_samples}"))
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
        self.make_outputs(made, shapes)
        code.do(f"br label %{run}")

        code.place(run)
        for j, port in enumerate(self.outputs):
            array = code.value(f"load ptr, ptr {code.offset(made, 8 * j)}")
            self.describe(len(self.inputs) + j, port, array, extra)
        failed = code.value(f"call i32 @run(ptr {self.records}, i64 0, i64 {samples}, ptr null)")
        finished, no_memory = code.label("finished"), code.label("no_memory")
        good = code.value(f"icmp eq i32 {failed}, 0")
        code.do(f"br i1 {good}, label %{finished}, label %{no_memory}")
        code.place(no_memory)
        self.release(made, len(self.outputs), self.table(Slot.DECREMENT))
        nothing = code.value(f"call ptr {self.table(Slot.NO_MEMORY)}()")
        code.do(f"ret ptr {nothing}")
        code.place(finished)
        self._return(made)

        code.place(self.general)
        result = code.value(
            f"call ptr {self.table(Slot.VECTORCALL)}"
            "(ptr %self, ptr %arguments, i64 %count, ptr %names)"
        )
        code.do(f"ret ptr {result}")
        return code.lines

    def _keyword_out(self) -> str:
        """The array passed as ``out``, or null; no other keyword is served."""
        code = self.code
        plain, named, known = code.label("plain"), code.label("named"), code.label("known")
        absent = code.value("icmp eq ptr %names, null")
        code.do(f"br i1 {absent}, label %{plain}, label %{named}")
        code.place(named)
        size = self.field("%names", "i64", TUPLE_SIZE)
        self.require(code.value(f"icmp eq i64 {size}, 1"))
        name = self.field("%names", "ptr", TUPLE_ITEMS)
        self.require(code.value(f"icmp eq ptr {name}, {self.table(Slot.OUT)}"))
        self.require("true" if len(self.outputs) == 1 else "false")
        passed = code.value(f"load ptr, ptr {code.offset('%arguments', 8 * len(self.inputs))}")
        last = code.label("last")
        code.do(f"br label %{last}")
        code.place(last)
        code.do(f"br label %{known}")
        code.place(plain)
        code.do(f"br label %{known}")
        code.place(known)
        return code.value(f"phi ptr [ null, %{plain} ], [ {passed}, %{last} ]")

    def _check_input(self, p: int, port: Port, array: str, batch: str) -> str:
        """Check and describe an input; returns the length of the batch so far, -1 for none."""
        code = self.code
        self.check_array(array, READABLE)
        axes = code.value(f"zext i32 {self.field(array, 'i32', AXES)} to i64")
        extra = code.value(f"sub i64 {axes}, {len(port.shape)}")
        self.require(code.value(f"icmp ult i64 {extra}, 2"))
        dimensions = self.field(array, "ptr", DIMENSIONS)
        batched = code.value(f"icmp eq i64 {extra}, 1")
        where = code.value(f"select i1 {batched}, ptr {dimensions}, ptr @no_batch")
        own = code.value(f"load i64, ptr {where}")
        skipped = code.value(f"mul i64 {extra}, 8")
        trailing = code.offset(dimensions, skipped)
        for axis, size in enumerate(port.shape):
            found = code.value(f"load i64, ptr {code.offset(trailing, 8 * axis)}")
            self.require(code.value(f"icmp eq i64 {found}, {size}"))
        first = code.value(f"icmp eq i64 {batch}, -1")
        equal = code.value(f"icmp eq i64 {own}, {batch}")
        either = code.value(f"or i1 {first}, {equal}")
        unbatched = code.value(f"icmp eq i64 {own}, -1")
        self.require(code.value(f"or i1 {either}, {unbatched}"))
        self.describe(p, port, array, extra)
        return code.value(f"select i1 {unbatched}, i64 {batch}, i64 {own}")

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
        self.check_array(out, WRITEABLE)
        wanted, axes = shape
        self.require(code.value(f"icmp eq i32 {self.field(out, 'i32', AXES)}, {axes}"))
        dimensions = self.field(out, "ptr", DIMENSIONS)
        # a batch axis shifts both lists alike; without one the last comparison repeats the first
        for axis in range(len(port.shape) + 1):
            bounded = code.value(f"icmp slt i32 {axis}, {axes}")
            step = code.value(f"select i1 {bounded}, i64 {8 * axis}, i64 0")
            readable = code.value(f"icmp ne i32 {axes}, 0")
            source = code.value(f"select i1 {readable}, ptr {dimensions}, ptr {wanted}")
            found = code.value(f"load i64, ptr {code.offset(source, step)}")
            expected = code.value(f"load i64, ptr {code.offset(wanted, step)}")
            self.require(code.value(f"icmp eq i64 {found}, {expected}"))
        start = self.field(out, "ptr", DATA)
        item = self.kind.item_bytes
        end = code.offset(start, code.value(f"mul i64 {samples}, {port.size * item}"))
        for source, source_port in data:
            length = code.value(f"mul i64 {samples}, {source_port.size * item}")
            before = code.value(f"icmp ule ptr {code.offset(source, length)}, {start}")
            behind = code.value(f"icmp uge ptr {source}, {end}")
            self.require(code.value(f"or i1 {before}, {behind}"))
        code.do(f"call void {self.table(Slot.INCREMENT)}(ptr {out})")

    def _return(self, made: str) -> None:
        code = self.code
        if len(self.outputs) == 1:
            code.do(f"ret ptr {code.value(f'load ptr, ptr {made}')}")
            return
        result = code.value(
            f"call ptr {self.table(Slot.VECTORCALL)}(ptr {self.table(Slot.RESULT_TYPE)}, "
            f"ptr {made}, i64 {len(self.outputs)}, ptr null)"
        )
        self.release(made, len(self.outputs), self.table(Slot.DECREMENT))
        code.do(f"ret ptr {result}")
