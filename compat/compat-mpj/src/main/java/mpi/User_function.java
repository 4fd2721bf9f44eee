package mpi;

/// The function of a user-defined operation.
public abstract class User_function {
    public User_function() {}

    /// Combines `count` elements of `type`: each element of `inout`, from `inoutOffset`, is replaced by its
    /// combination with the corresponding element of `in`, from `inOffset`. The elements of `in` are from lower
    /// ranks.
    public abstract void Call(Object in, int inOffset, Object inout, int inoutOffset, int count, Datatype type)
            throws MPIException;
}
