package org.tutti.mpi.file;

import org.tutti.spi.type.Tiling;

/// What a rank sees of a file: bytes that the file type names, from a displacement on, in elements of the etype
/// (MPI
/// 4.1, section 14.1.1). Packed bytes are numbered from 0; positions in the file are bytes.
///
/// @param etypeBytes the length of an etype in the file, without gaps
public record FileView(long displacement, long etypeBytes, Tiling tiling) {
    static final FileView BYTES = new FileView(0, 1, Tiling.BYTES);

    /// Where a packed byte lies in the file.
    ///
    /// @throws ArithmeticException when that is no `long`
    long position(long packed) {
        return Math.addExact(displacement, tiling.offset(packed));
    }

    /// How many packed bytes lie before a position.
    long below(long position) {
        return tiling.below(position - displacement);
    }
}
