package org.tutti.libmpi.abi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The binary interfaces of MPI libraries.
public enum Abi {
    /// The ABI of Open MPI 3 to 6, Spectrum MPI and Fujitsu MPI: a handle is the address of a structure.
    OPEN_MPI("openmpi", JAVA_LONG),
    /// The ABI of MPICH since 3.1, Intel MPI, MVAPICH and Cray MPICH: a handle is an `int`.
    MPICH("mpich", JAVA_INT),
    /// The standard ABI of MPI 5.0, in any library: a handle is a pointer, predefined handles are numbers.
    STANDARD("mpi5", JAVA_LONG);

    private final String table;
    private final ValueLayout handle;

    Abi(String table, ValueLayout handle) {
        this.table = table;
        this.handle = handle;
    }

    /// Returns the layout of a handle as a function argument. Only handles of files are pointers in every ABI.
    public ValueLayout handle() {
        return handle;
    }

    /// Reads a handle that a function has stored in memory.
    public long readHandle(MemorySegment at) {
        return handle == JAVA_INT ? at.get(JAVA_INT, 0) : at.get(JAVA_LONG, 0);
    }

    /// Writes a handle to memory for a function.
    public void writeHandle(MemorySegment at, long value) {
        if (handle == JAVA_INT) {
            at.set(JAVA_INT, 0, (int) value);
        } else {
            at.set(JAVA_LONG, 0, value);
        }
    }

    /// Reads the table of constants.
    public AbiTable table() {
        return AbiTable.read(this, table + ".tsv");
    }
}
