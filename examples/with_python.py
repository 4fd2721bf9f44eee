# The Python part of examples/WithPython.java, where the command is shown. It needs mpi4py, built for the MPI library
# that Java uses.

import os
import sys
from array import array

from mpi4py import MPI

if not os.environ.get("TUTTI_JAVA_RANKS"):
    sys.exit("with_python.py is one part of a job; the other is in Java: "
             "./tutti run --mpi openmpi -n 2 examples/WithPython.java : -n 1 examples/with_python.py")

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()

limits = array("d", [0, 0])
comm.Bcast(limits, root=0)
print(f"Python rank {rank} of {size} has the limits {limits.tolist()}", flush=True)

for java in range(size - 1):
    x = array("d", [0, 0, 0])
    comm.Recv(x, source=java, tag=7)
    print(f"Python rank {rank} squares {x.tolist()} of rank {java}", flush=True)
    comm.Send(array("d", [v * v for v in x]), dest=java, tag=8)

total = array("i", [0])
comm.Allreduce(array("i", [rank + 1]), total, op=MPI.SUM)
print(f"Python rank {rank} counts {total[0]} in all", flush=True)

comm.Gather(array("i", [10 * rank]), None, root=0)

mine = comm.Split(color=2)  # Java's ranks pass 1
mine.Free()
