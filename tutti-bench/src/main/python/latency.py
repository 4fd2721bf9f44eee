"""Half the time of a message to rank 1 and back, with mpi4py: the same shape as Latency.java. Arguments: MIN MAX."""
import sys
import time

from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.rank


def ping_pong(out, back, times):
    for _ in range(times):
        if rank == 0:
            world.Send(out, 1, 1)
            world.Recv(back, 1, 1)
        else:
            world.Recv(back, 0, 1)
            world.Send(out, 0, 1)


low, high = int(sys.argv[1]), int(sys.argv[2])
size = low
while size <= high:
    out = [bytearray(size), size, MPI.BYTE]
    back = [bytearray(size), size, MPI.BYTE]
    times = 10000 if size <= 8192 else 1000 if size <= 1 << 20 else 100
    ping_pong(out, back, 50000 if size == low else times)
    start = time.perf_counter()
    ping_pong(out, back, times)
    if rank == 0:
        print(f"{size:<10} {(time.perf_counter() - start) * 1e6 / 2 / times:18.3f}", flush=True)
    size = 2 * size if size else 1
