package mpi;

/// What an operation of a program's own does.
public abstract class User_function {
    public User_function() {}

    /// Combines `count` elements of `type`: each of `inout`, from `inoutOffset` on, becomes what it
    /// gives with the one of `in`, from `inOffset` on, which is of lower ranks.
    public abstract void Call(Object in, int inOffset, Object inout, int inoutOffset, int count, Datatype type)
            throws MPIException;
}
