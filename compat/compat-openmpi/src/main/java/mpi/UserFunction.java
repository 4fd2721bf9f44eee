package mpi;

import java.nio.ByteBuffer;

/// An operation of the program. A subclass overrides one or both of the methods, which store the result in the
/// second argument.
public abstract class UserFunction {
    public UserFunction() {}

    /// Combines `count` elements in arrays of the base type. Consecutive elements start at a distance of
    /// `datatype.getExtent()`.
    public void call(Object in, Object inOut, int count, Datatype datatype) throws MPIException {
        throw new UnsupportedOperationException(getClass().getName() + " overrides no method call");
    }

    /// Combines `count` elements in bytes, in native order.
    public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype datatype) throws MPIException {
        throw new UnsupportedOperationException(getClass().getName() + " overrides no method call");
    }
}
