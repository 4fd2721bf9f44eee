# The same program as FirstSecond.java, with mpi4py.
import sys
import time
from array import array

from mpi4py import MPI

WINDOWS, CALLS, WINDOW = 16, 100, 0.25
world = MPI.COMM_WORLD
rank = world.Get_rank()
is_message = sys.argv[1] == "message"
data, given, result = bytearray(8), array("d", [0]), array("d", [0])
is_over = array("i", [0])
line = []
world.Barrier()
for window in range(WINDOWS):
    begin, calls = time.perf_counter(), 0
    while True:
        for _ in range(CALLS):
            if not is_message:
                world.Allreduce(given, result, MPI.SUM)
            elif rank == 0:
                world.Send(data, 1)
                world.Recv(data, 1)
            else:
                world.Recv(data, 0)
                world.Send(data, 0)
        calls += 2 * CALLS if is_message else CALLS
        now = time.perf_counter()
        is_over[0] = now - begin >= WINDOW
        world.Bcast(is_over, 0)
        if is_over[0]:
            break
    line.append("%.3f" % ((now - begin) * 1e6 / calls))
if rank == 0:
    print(" ".join(line))
