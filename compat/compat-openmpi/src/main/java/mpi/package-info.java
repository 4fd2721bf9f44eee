/// The classes of Open MPI's Java bindings, on top of Tutti: programs for the bindings run unchanged.
///
///     mpi.Comm ──▶ MessageCalls, CollectiveCalls ──Data──▶ org.tutti.mpi.Communicator
///
/// Each class corresponds to a class of the original. It converts the arguments, calls `org.tutti.mpi`, and
/// converts the result. Only classes and members of the original are public, with the original types and
/// exceptions. The behaviour is described in docs/from-openmpi-java.md.
///
/// Data is sent as bytes, because the original does not compare types ([Data], [Datatype]). Errors are handled
/// by the error handler of the communicator, window or file ([Failures]).
package mpi;
