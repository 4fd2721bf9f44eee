package mpi;

import java.nio.ByteBuffer;

/// A program's own operation: it overrides one of the two, and puts into the second argument what it makes of both.
public abstract class UserFunction {
    public UserFunction() {}

    /// Of `count` elements in arrays of the type's base, an element every `getExtent()`.
    public void call(Object in, Object inOut, int count, Datatype datatype) throws MPIException {
        throw new UnsupportedOperationException(getClass().getName() + " overrides no method call");
    }

    /// The same in bytes, in the machine's order.
    public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype datatype) throws MPIException {
        throw new UnsupportedOperationException(getClass().getName() + " overrides no method call");
    }
}
