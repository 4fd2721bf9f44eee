"""Exchanges elements of each predefined type with the Java program ForeignTypes, which is rank 0."""
import struct
from mpi4py import MPI

# name in Java, type of mpi4py, layout of an element in memory, values of element i
TYPES = [
    ("BYTE", MPI.INT8_T, "b", lambda i: (i - 2,)),
    ("CHAR", MPI.UINT16_T, "H", lambda i: (60000 + i,)),
    ("SHORT", MPI.INT16_T, "h", lambda i: (-3000 - i,)),
    ("INT", MPI.INT32_T, "i", lambda i: (-100000 - i,)),
    ("LONG", MPI.INT64_T, "q", lambda i: (1 << 40 | i,)),
    ("FLOAT", MPI.FLOAT, "f", lambda i: (i + 0.5,)),
    ("DOUBLE", MPI.DOUBLE, "d", lambda i: (i - 0.25,)),
    ("DOUBLE_INT", MPI.DOUBLE_INT, "di4x", lambda i: (i + 0.125, 7 + i)),
    ("LONG_INT", MPI.LONG_INT, "qi4x", lambda i: (1 << 40 | i, 9 + i)),
    ("FLOAT_INT", MPI.FLOAT_INT, "fi", lambda i: (i + 0.5, 11 + i)),
    ("INT_INT", MPI.TWOINT, "ii", lambda i: (-i, 13 + i)),
]
COUNT = 5
world = MPI.COMM_WORLD
for tag, (name, datatype, layout, values) in enumerate(TYPES):
    each = struct.calcsize("=" + layout)
    data = bytearray()
    for i in range(COUNT):
        data += struct.pack("=" + layout, *values(i))
    world.Send([data, COUNT, datatype], 0, tag)

    got = bytearray(each * (COUNT + 1))
    status = MPI.Status()
    world.Recv([got, COUNT + 1, datatype], 0, tag, status)
    assert status.Get_count(datatype) == COUNT, (name, status.Get_count(datatype))
    for i in range(COUNT):
        back = struct.unpack_from("=" + layout, got, i * each)
        assert back == values(i), (name, i, back)

    world.Bcast([data, COUNT, datatype], 1)
    everywhere = bytearray(2 * len(data))
    world.Allgather([data, COUNT, datatype], [everywhere, COUNT, datatype])
    for i in range(2 * COUNT):
        back = struct.unpack_from("=" + layout, everywhere, i * each)
        assert back == values(i % COUNT), (name, i, back)
print("Python exchanged %d types" % len(TYPES))
