package org.tutti.mpi.file;

import org.tutti.spi.type.Tiling;

/// A rank's view of a file: the bytes that the file type selects, starting at a displacement. The unit of
/// access is the etype (MPI 4.1, section 14.1.1). Packed bytes are numbered from 0; positions in the file are
/// in bytes.
///
/// @param etypeBytes the size of an etype in the file, without gaps
public record FileView(long displacement, long etypeBytes, Tiling tiling) {
    static final FileView BYTES = new FileView(0, 1, Tiling.BYTES);

    /// Returns the position of a packed byte in the file.
    ///
    /// @throws ArithmeticException if the position does not fit into a `long`
    long position(long packed) {
        return Math.addExact(displacement, tiling.offset(packed));
    }

    /// Returns the number of packed bytes before a position.
    long below(long position) {
        return tiling.below(position - displacement);
    }
}
