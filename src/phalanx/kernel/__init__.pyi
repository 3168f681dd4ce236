from phalanx.kernel.build import compile
from phalanx.kernel.graph.named_graph import operations_by_name
from phalanx.kernel.graph.operations import Operations, count_expanded, count_operations
from phalanx.kernel.kernel import Kernel
from phalanx.kernel.llvm.target import Target, host_target
from phalanx.kernel.object_file import export_object
from phalanx.kernel.text.emit_c import export_c
from phalanx.kernel.text.emit_fortran import export_fortran

__all__ = [
    # machine code in this process
    "compile",
    "Kernel",
    "Target",
    "host_target",
    # for other programs
    "export_c",
    "export_fortran",
    "export_object",
    # counts
    "count_operations",
    "count_expanded",
    "Operations",
    "operations_by_name",
]
