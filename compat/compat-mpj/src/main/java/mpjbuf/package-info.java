/// The buffer of `Pack`, `Unpack` and `MPI.PACKED`: arrays of several types, one section after the
/// other. Of the original's package only what programs touch is here. [mpjbuf.RawBuffer], [mpjbuf.Type]
/// and [mpjbuf.BufferException] are there because signatures name them.
package mpjbuf;
