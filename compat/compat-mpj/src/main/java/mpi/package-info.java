/// The API of MPJ Express, class for class, over Tutti's own. Each class here translates what it is
/// given, hands it to `org.tutti.mpi`, and translates what comes back:
///
///     Comm.Send ──[MpjData]: array, offset, count, type──▶ Buf ──▶ org.tutti.mpi.Comm.send
///     Comm.Recv ◀──[Status]── org.tutti.mpi.Status
///
/// Rules: names, signatures and numbers are the original's, and a test compares them with its table; no
/// public class is here that the original lacks, because programs import `mpi.*`. Objects travel as one
/// `byte[]` of Java serialization, see [org.tutti.compat.mpj.ObjectBytes]. What differs is in
/// docs/from-mpj-express.md.
///
/// Not here: protected members, and those that name internals of the original (`mpjdevComm`, `req`).
package mpi;
