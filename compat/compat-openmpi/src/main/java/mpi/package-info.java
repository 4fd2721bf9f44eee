/// The classes of Open MPI's Java bindings, over Tutti: programs written to them run as they are.
///
///     mpi.Comm ──▶ MessageCalls, CollectiveCalls, StartedCalls ──Data──▶ org.tutti.mpi.Communicator
///
/// A class here is one of the original's and a translation: arguments in, a call of `org.tutti.mpi`, results out.
/// Public
/// are only classes and members that the original has, with its types and exceptions; what they share is not. How they
/// behave is in docs/from-openmpi-java.md.
///
/// Data travels as bytes, because the original compares no types ([Data], [Datatype]). Errors go through the error
/// handler of the object ([Failures]).
package mpi;
