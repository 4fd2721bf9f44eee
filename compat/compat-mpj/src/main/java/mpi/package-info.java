/// The API of MPJ Express, class for class, on top of Tutti's API. Each class converts its arguments, calls
/// `org.tutti.mpi`, and converts the result:
///
///     Comm.Send ──[MpjData]: array, offset, count, type──▶ Buf ──▶ org.tutti.mpi.Comm.send
///     Comm.Recv ◀──[Status]── org.tutti.mpi.Status
///
/// Rules: names, signatures and numbers are the original's, and a test compares them with a table of the
/// original. No other class is public, because programs import `mpi.*`. Objects are sent as one `byte[]` of Java
/// serialization, see [org.tutti.compat.mpj.ObjectBytes]. The differences are listed in
/// docs/from-mpj-express.md.
///
/// Not included: protected members, and members that name internals of the original (`mpjdevComm`, `req`).
package mpi;
