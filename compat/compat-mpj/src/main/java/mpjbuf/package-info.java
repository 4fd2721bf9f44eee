/// The buffer of `Pack`, `Unpack` and `MPI.PACKED`: arrays of several types, one section after the other.
/// Contains only the parts of the original's package that programs use. [mpjbuf.RawBuffer], [mpjbuf.Type] and
/// [mpjbuf.BufferException] are included because they occur in signatures.
package mpjbuf;
