package mpi;

/// The function of a user-defined operation.
public abstract class User_function {
    public User_function() {}

    /// Combines `count` elements of `type`: replaces each element of `inout`, from `inoutOffset`, by the result
    /// with the element of `in`, from `inOffset`, which is from lower ranks.
    public abstract void Call(Object in, int inOffset, Object inout, int inoutOffset, int count, Datatype type)
            throws MPIException;
}
