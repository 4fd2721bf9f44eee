"""Ranks of mpi4py write the files of a plan, or read files that Tutti has written: see programs/FileViews.java.

    file_views.py write|read PLAN PREFIX
"""
import sys
from mpi4py import MPI

TYPES = {"BYTE": MPI.BYTE, "SHORT": MPI.INT16_T, "INT": MPI.INT32_T, "DOUBLE": MPI.DOUBLE,
         "DOUBLE_INT": MPI.DOUBLE_INT, "LONG_INT": MPI.LONG_INT}


def numbers(text):
    return [int(n) for n in text.split(",")]


def filetype(etype, kind, args):
    if kind == "indexed":
        made = etype.Create_indexed(numbers(args[0]), numbers(args[1]))
        made = made.Create_resized(0, int(args[2]) * etype.extent)
    else:
        made = etype.Create_subarray(numbers(args[0]), numbers(args[1]), numbers(args[2]))
    return made.Commit()


def data(rank, count, pairs):
    """Returns the data of a rank in memory. A file does not contain the gaps of pairs."""
    return bytearray(0 if pairs and i % 16 >= 12 else 1 + (i * 7 + rank * 31) % 255 for i in range(count))


def access(fh, writes, call, offset, buf):
    word = "write" if writes else "read"
    if call == "at":
        getattr(fh, word.capitalize() + "_at")(offset, buf)
    elif call == "at_all":
        getattr(fh, word.capitalize() + "_at_all")(offset, buf)
    elif call == "pointer":
        fh.Seek(offset)
        getattr(fh, word.capitalize())(buf)
    elif call == "pointer_all":
        fh.Seek(offset)
        getattr(fh, word.capitalize() + "_all")(buf)
    elif call == "i_at":
        getattr(fh, "I" + word + "_at")(offset, buf).Wait()
    else:
        getattr(fh, word.capitalize() + "_at_all_begin")(offset, buf)
        getattr(fh, word.capitalize() + "_at_all_end")(buf)


comm = MPI.COMM_WORLD
writes, plan, prefix = sys.argv[1] == "write", sys.argv[2], sys.argv[3]
for line in open(plan):
    case, rank, call, name, disp, offset, count, kind, *args = line.split()
    if int(rank) != comm.rank:
        continue
    etype = TYPES[name]
    fh = MPI.File.Open(comm, prefix + case, MPI.MODE_RDWR | MPI.MODE_CREATE)
    fh.Set_view(int(disp), etype, filetype(etype, kind, args))
    expected = data(comm.rank, int(count) * etype.extent, name.endswith("_INT"))
    buf = bytearray(expected if writes else len(expected))
    access(fh, writes, call, int(offset), [buf, int(count), etype])
    fh.Close()
    if buf != expected:
        print("case %s, rank %s: read other bytes" % (case, rank))
        comm.Abort(3)
