"""Half the round-trip time of a message to rank 1, with mpi4py: buffers, or the object {"a": 7, "b": 3.14}.

Loops, warm-up and number of iterations are the same as in bench.c. Arguments: latency|object SIZES, as in 8,65536.
"""
import sys
import time

from mpi4py import MPI

WARM_FIRST, WARM_LEAST, WARM_MOST, MEASURE_LEAST, MEASURE_MOST = 1.0, 0.2, 4.0, 0.1, 1.0
MESSAGE, CONTROL = 1, 2

world = MPI.COMM_WORLD
rank = world.rank


def buffers(size):
    out, back = [bytearray(size), size, MPI.BYTE], [bytearray(size), size, MPI.BYTE]

    def loop(times):
        for _ in range(times):
            if rank == 0:
                world.Send(out, 1, MESSAGE)
                world.Recv(back, 1, MESSAGE)
            else:
                world.Recv(back, 0, MESSAGE)
                world.Send(out, 0, MESSAGE)

    return loop


def objects(_):
    value = {"a": 7, "b": 3.14}

    def loop(times):
        for _ in range(times):
            if rank == 0:
                world.send(value, 1, MESSAGE)
                world.recv(None, 1, MESSAGE)
            else:
                world.recv(None, 0, MESSAGE)
                world.send(value, 0, MESSAGE)

    return loop


def tell(value):
    if rank == 0:
        world.send(value, 1, CONTROL)
        return value
    return world.recv(None, 0, CONTROL)


def warm(loop, size, first):
    usual = 10000 if size <= 8192 else 1000 if size <= 1 << 20 else 100
    done, chunk, begin = 0, 1, time.perf_counter()
    while True:
        start = time.perf_counter()
        loop(chunk)
        end = time.perf_counter()
        done, each, passed = done + chunk, (end - start) / chunk, end - begin
        chunk *= 2
        enough = done >= (20000 if size <= 1 << 20 else 300) and passed >= (WARM_FIRST if first else WARM_LEAST)
        if tell(enough or passed >= WARM_MOST):
            break
    return tell(int(max(1, min(max(usual, MEASURE_LEAST / each), MEASURE_MOST / each))))


make = {"latency": buffers, "object": objects}[sys.argv[1]]
for number, word in enumerate(sys.argv[2].split(",")):
    size = int(word)
    loop = make(size)
    times = warm(loop, size, number == 0)
    start = time.perf_counter()
    loop(times)
    if rank == 0:
        print(f"{size:<10} {(time.perf_counter() - start) * 1e6 / 2 / times:18.4f} {times:12}", flush=True)
