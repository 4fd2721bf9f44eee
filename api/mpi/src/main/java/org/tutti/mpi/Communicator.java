package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Transfer;

/// The operations common to a [Comm] of one group and an [Intercomm] of two groups: rank, size, group, name,
/// attributes, messages, and the collective operations that MPI defines for both.
///
/// Ranks are ranks of this communicator; on an [Intercomm], a source or destination is a rank of the remote
/// group. A tag is a number from 0 to [#tagUpperBound]; without a tag, a send uses 0 and a receive accepts any
/// tag. A typed message must be received with a type of the same signature ([Datatype]). MPI 4.1, chapters 3, 6
/// and 7.
///
/// ## Objects
///
/// Methods named `…Object` send a value instead of a buffer: null, numbers, strings, arrays, collections,
/// enums, records, and values composed of these; `docs/decisions/19-object-codec.md` has the list. The receiver
/// always gets a copy of the value, and need not know the size, because the message contains it. In messages,
/// and in broadcasts within one group, arrays of numbers or `char`s of 32 KiB and more inside a value are
/// passed to the engine without a copy; buffered mode copies them. Java serialization is not used.
///
/// ## Collective operations
///
/// All ranks call a collective operation in the same order, with the same `root` and `op`. A scalar form has a
/// value as parameter and returns a result; it matches the operation of the same name on a buffer of one
/// element. A nonblocking form starts the operation and returns a request; the engine owns the buffers until
/// the request is complete, including buffers that are only read. Several operations can be active on one
/// communicator, and can complete in any order. A persistent form prepares the operation, which can be started
/// any number of times on the same buffers. Blocking, nonblocking and persistent calls do not match each other.
/// With [Buf#IN_PLACE], a rank's result replaces the rank's contribution in the same buffer; only a [Comm] has
/// operations in place.
///
/// ## Errors
///
/// An operation that fails throws an [MpiException]; wrong arguments are reported before data is sent. In
/// addition to the errors that a method documents, every operation throws `ERR_COMM` if the communicator is
/// closed or has no ranks, `ERR_BUFFER` if memory of a `Buf` cannot be accessed because the memory's arena is
/// closed or confined to a different thread, `ERR_OTHER` after [Mpi#close], and, once the job has failed, the
/// cause: `ERR_PROC_FAILED` if a rank has failed, or has left the job while this rank waited for it;
/// `ERR_MISMATCH` if calls of the ranks do not match.
public sealed interface Communicator permits CommHandle {
    // ---- rank, size, name

    /// Any sender, as the source of a receive.
    int ANY_SOURCE = Transfer.ANY_SOURCE;

    /// Any tag, in a receive.
    int ANY_TAG = Transfer.ANY_TAG;

    /// No rank, as a destination or a source: the operation completes immediately and moves no data (MPI 4.1,
    /// section 3.11).
    int PROC_NULL = Transfer.PROC_NULL;

    /// The calling rank, as the root of a collective operation between two groups. The other ranks of the
    /// root's group pass [#PROC_NULL], and the ranks of the remote group pass the rank of the root (MPI 4.1,
    /// section 6.2.3).
    int ROOT = -3;

    /// The color of a rank that joins no part of a split.
    int UNDEFINED = -32766;

    /// Returns the caller's rank, from 0 to `size() - 1`. For an intercommunicator, this is the rank in the
    /// local group. Returns [#UNDEFINED] if the communicator has no ranks. Local. `MPI_Comm_rank`, MPI 4.1,
    /// section 7.4.1.
    int rank();

    /// Returns the number of ranks; for an intercommunicator, the number of ranks in the local group. Returns 0
    /// for a communicator without ranks, which [Comm#split(int, int)] returns to a rank that joins no part.
    /// Local. `MPI_Comm_size`, MPI 4.1, section 7.4.1.
    int size();

    /// Returns the name, which error messages contain. Local. `MPI_Comm_get_name`, MPI 4.1, section 7.8.
    String name();

    /// Returns the failure of the job, or null while the job has not failed. Intended for a program that waits
    /// for other ranks without MPI, for example in a call of a GPU library, or for a file that another rank
    /// writes. Never waits. Local.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    @Nullable
    MpiException failure();

    /// Returns the largest permitted tag, which is at least 32767. Local. `MPI_TAG_UB`, MPI 4.1, section 9.1.2.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    int tagUpperBound();

    /// Returns the group of this communicator's ranks; for an intercommunicator, the local group. Local.
    /// `MPI_Comm_group`, MPI 4.1, section 7.3.2.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    Group group();

    /// Returns whether this communicator has two groups, and so is an [Intercomm]. Local.
    /// `MPI_Comm_test_inter`, MPI 4.1, section 7.6.1.
    boolean isInter();

    /// Returns [Comparison#IDENT] if `other` is this communicator, [Comparison#CONGRUENT] if it has the same
    /// ranks in the same order, [Comparison#SIMILAR] if it has the same ranks in a different order, and
    /// otherwise [Comparison#UNEQUAL]. For two intercommunicators, the local groups and the remote groups are
    /// compared, and the weaker of the two results is returned; an intercommunicator and an intracommunicator
    /// are `UNEQUAL`. Local. `MPI_Comm_compare`, MPI 4.1, section 7.4.1.
    ///
    /// @throws MpiException `ERR_COMM` if this communicator or `other` is closed or has no ranks
    Comparison compare(Communicator other);

    /// Returns an error that a library on top of MPI can throw. The message has the form of all errors, for
    /// example `solve: ERR_SOLVER, the iteration diverged: residual=3.0 (rank 1 of 4, WORLD)`. The scope is
    /// `ARGUMENT`, because MPI can continue. Throwing the error corresponds to `MPI_Comm_call_errhandler`.
    /// Local. MPI 4.1, section 9.5.
    ///
    /// @param operation the name of the library's operation
    /// @param detail the values, and the way to avoid the error
    MpiException error(String operation, ErrorCode code, String detail);

    /// Sets the name that errors use. The default name contains the origin of the communicator, for example
    /// `WORLD.split1`. Local. `MPI_Comm_set_name`, MPI 4.1, section 7.8.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    void setName(String name);

    /// Returns the attribute of this communicator under `key` on this rank, or null if none is set. Local.
    /// `MPI_Comm_get_attr`, MPI 4.1, section 7.7.2.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    <T> @Nullable T attribute(AttributeKey<T> key);

    /// Stores `value` under `key`. A previous value is passed to the key's deleter first. Local.
    /// `MPI_Comm_set_attr`, MPI 4.1, section 7.7.2.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    <T> void setAttribute(AttributeKey<T> key, T value);

    /// Removes the attribute under `key`, passes it to the key's deleter, and returns it. Returns null if no
    /// such attribute is set. Local. `MPI_Comm_delete_attr`, MPI 4.1, section 7.7.2.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    <T> @Nullable T deleteAttribute(AttributeKey<T> key);

    /// Returns a copy of the hints of this communicator on this rank. Local. `MPI_Comm_get_info`, MPI 4.1,
    /// section 7.4.4.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    Map<String, String> info();

    /// Sets these hints; other hints stay unchanged. Three hints have an effect on the communicator. With
    /// `tutti_idle` = `true`, ranks that wait for messages on this communicator count as idle, and are never
    /// reported as stalled or deadlocked. With `tutti_outlives` = `true`, in a job that continues when a rank
    /// dies (`tutti run --pool` on shared memory), collective calls fail with `ERR_PROC_FAILED`, and so do
    /// requests with the dead rank. When a rank detects the death, pending receives with [#ANY_SOURCE] fail,
    /// and so does the next blocking probe with [#ANY_SOURCE]; all other calls continue. With
    /// `tutti_fails_together` = `true` in addition, a rank that has detected the death receives no more
    /// messages on this communicator: every receive and probe on this rank fails, even from a live rank. A send
    /// to this rank also fails if it waits for a receive. All hints are stored and returned by [#info].
    /// Collective; returns immediately.
    /// `MPI_Comm_set_info`, MPI 4.1, section 7.4.4.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    void setInfo(Map<String, String> newHints);

    // ---- blocking messages, MPI 4.1, sections 3.2 to 3.6, 3.8, 3.10

    /// Like [#send(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    void send(Buf buf, int dest);

    /// Sends `buf` to `dest` in standard mode. Blocking: returns when the buffer may be reused, possibly before
    /// the message is received. MPI 4.1, sections 3.2.1 and 3.4.
    ///
    /// @throws MpiException `ERR_RANK` if `dest` is not a rank; `ERR_TAG` if the tag is negative or above
    ///     [#tagUpperBound]; `ERR_BUFFER` if `buf` is `IN_PLACE` or contains a null record: no data was sent
    void send(Buf buf, int dest, int tag);

    /// Like [#ssend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#ssend(Buf, int, int)]
    void ssend(Buf buf, int dest);

    /// Sends as [#send(Buf, int, int)] does, in synchronous mode: returns only after a receive has matched the
    /// message and has started to receive it. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    void ssend(Buf buf, int dest, int tag);

    /// Like [#bsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#bsend(Buf, int, int)]
    default void bsend(Buf buf, int dest) {
        bsend(buf, dest, 0);
    }

    /// Sends as [#send(Buf, int, int)] does, in buffered mode: copies the message and returns immediately,
    /// independently of the receiver. Local. Tutti allocates the memory for copies and reuses it, as with
    /// `MPI_BUFFER_AUTOMATIC` of the standard (section 3.6). [Mpi#flushBuffers] waits until all copies have
    /// been sent; [Mpi#close] does not wait. If the program has attached a buffer ([#attachBuffer(long)],
    /// [Mpi#attachBuffer(long)]), the copy is stored there. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]; `ERR_NO_MEM` if the memory for the copy is unavailable;
    ///     `ERR_BUFFER` if the copy does not fit into the attached buffer. In these two cases, the message is
    ///     not sent
    void bsend(Buf buf, int dest, int tag);

    /// Like [#rsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#rsend(Buf, int, int)]
    void rsend(Buf buf, int dest);

    /// Sends as [#send(Buf, int, int)] does, in ready mode: the receive must have been posted before. If there
    /// is no receive, this is an error of the program. The error can remain undetected: Tutti sends the message
    /// in standard mode. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    void rsend(Buf buf, int dest, int tag);

    /// The maximum space that a message in buffered mode occupies in an attached buffer, in addition to the
    /// data. MPI 4.1, section 3.6.
    int BSEND_OVERHEAD = 64;

    /// Attaches a buffer of `bytes` bytes for this communicator's messages in buffered mode. The buffer remains
    /// attached until [#detachBuffer], and limits the memory that such messages use. A message of n bytes
    /// occupies n + [#BSEND_OVERHEAD] bytes until it has been sent. Without an attached buffer, the buffer of
    /// [Mpi#attachBuffer] is used; without either, memory is allocated as needed (`MPI_BUFFER_AUTOMATIC`).
    /// Local. `MPI_Comm_attach_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` if a buffer is already attached; `ERR_ARG` if `bytes` is negative;
    ///     `ERR_NO_MEM` if memory is insufficient
    void attachBuffer(long bytes);

    /// Attaches this memory as [#attachBuffer(long)] does. The program must not access it until
    /// [#detachBuffer].
    ///
    /// @throws MpiException `ERR_BUFFER` if a buffer is already attached, or if `buffer` is null or read-only
    void attachBuffer(MemorySegment buffer);

    /// Detaches this communicator's buffer and returns it. Blocking: waits until every message in it has been
    /// sent. `MPI_Comm_detach_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` if no buffer is attached
    MemorySegment detachBuffer();

    /// Waits until all messages in the buffer that this communicator uses have been sent. Blocking.
    /// `MPI_Comm_flush_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    void flushBuffer();

    /// Starts [#flushBuffer], and returns the request for it. Local. `MPI_Comm_iflush_buffer`, MPI 4.1, section
    /// 3.6.
    ///
    /// @throws MpiException as [#flushBuffer]
    Request iflushBuffer();

    /// Like [#recv(Buf, int, int)], from any rank and with any tag.
    ///
    /// @throws MpiException as [#recv(Buf, int, int)]
    Status recv(Buf buf);

    /// Like [#recv(Buf, int, int)], with any tag.
    ///
    /// @throws MpiException as [#recv(Buf, int, int)]
    Status recv(Buf buf, int source);

    /// Receives a message from `source` with `tag` into `buf`, and returns the status of the message. The
    /// message may be shorter than the buffer; the status contains the length of the message. A receive from
    /// [#PROC_NULL] gets no data. Blocking: waits for a message. MPI 4.1, section 3.2.4.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` if `source` or `tag` is invalid and not a wildcard;
    ///     `ERR_BUFFER` if `buf` is missing or read-only; `ERR_TYPE` if some bytes occur twice in the type.
    ///     `ERR_TRUNCATE` if the message is longer than the buffer, `ERR_TYPE` if the type of the message differs:
    ///     in these two cases, the message is lost, and the job continues
    Status recv(Buf buf, int source, int tag);

    /// Like [#sendrecv(Buf, int, int, Buf, int, int)], sending with tag 0 and receiving with any tag.
    ///
    /// @throws MpiException as [#sendrecv(Buf, int, int, Buf, int, int)]
    default Status sendrecv(Buf out, int dest, Buf in, int source) {
        return sendrecv(out, dest, 0, in, source, ANY_TAG);
    }

    /// Sends `out` to `dest` and receives into `in` from `source` at the same time, so that ranks that send in
    /// a ring, or to each other, cannot block each other. Returns the status of the receive. The buffers must
    /// not overlap. Blocking: returns when `in` is filled and `out` may be used again. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#send(Buf, int, int)] and [#recv(Buf, int, int)]
    Status sendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag);

    /// Like [#sendrecvReplace(Buf, int, int, int, int)], sending with tag 0 and receiving with any tag.
    ///
    /// @throws MpiException as [#sendrecvReplace(Buf, int, int, int, int)]
    default Status sendrecvReplace(Buf buf, int dest, int source) {
        return sendrecvReplace(buf, dest, 0, source, ANY_TAG);
    }

    /// Sends the data in `buf` and receives into the same `buf`, at the same time. If the received message is
    /// shorter than `buf`, the rest of `buf` does not change. The data is copied once before it is sent.
    /// Blocking. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#send(Buf, int, int)] and [#recv(Buf, int, int)]
    Status sendrecvReplace(Buf buf, int dest, int sendTag, int source, int recvTag);

    /// Waits for a message that `recv(…, source, tag)` would receive, and returns its source, tag and length
    /// without receiving the message. [Status#count(Datatype)] returns the length in elements. Blocking. MPI
    /// 4.1, section 3.8.1.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` if `source` or `tag` is invalid and not a wildcard
    Status probe(int source, int tag);

    /// Checks for a message as [#probe] does, but returns null if no message is available. Local; returns
    /// immediately. MPI 4.1, section 3.8.1.
    ///
    /// @throws MpiException as [#probe]
    @Nullable
    Status iprobe(int source, int tag);

    /// Waits for a message as [#probe] does, and reserves it: no thread can probe it again, and only
    /// [Message#recv] and its variants can receive it. From [#PROC_NULL], returns an empty message. Blocking.
    /// MPI 4.1, section 3.8.2.
    ///
    /// @throws MpiException as [#probe]
    Message mprobe(int source, int tag);

    /// Reserves a message as [#mprobe] does, but returns null if no message is available. Local; returns
    /// immediately. MPI 4.1, section 3.8.2.
    ///
    /// @throws MpiException as [#probe]
    @Nullable
    Message improbe(int source, int tag);

    // ---- nonblocking messages, MPI 4.1, sections 3.7 and 3.10

    /// Like [#isend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#isend(Buf, int, int)]
    Request isend(Buf buf, int dest);

    /// Starts [#send(Buf, int, int)], and returns the request. The buffer must not be changed until the request
    /// is complete. Local; returns immediately. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    Request isend(Buf buf, int dest, int tag);

    /// Like [#issend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#issend(Buf, int, int)]
    Request issend(Buf buf, int dest);

    /// Starts a send as [#isend(Buf, int, int)] does, in synchronous mode: the request is complete only after a
    /// receive has matched the message and has started to receive it. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    Request issend(Buf buf, int dest, int tag);

    /// Like [#ibsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#ibsend(Buf, int, int)]
    default Request ibsend(Buf buf, int dest) {
        return ibsend(buf, dest, 0);
    }

    /// Sends as [#bsend(Buf, int, int)] does, and returns a request, which is already complete. MPI 4.1,
    /// section 3.7.2.
    ///
    /// @throws MpiException as [#bsend(Buf, int, int)]
    Request ibsend(Buf buf, int dest, int tag);

    /// Like [#irsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#irsend(Buf, int, int)]
    Request irsend(Buf buf, int dest);

    /// Starts a send as [#isend(Buf, int, int)] does, in ready mode: the receive must have been posted before;
    /// see [#rsend(Buf, int, int)]. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    Request irsend(Buf buf, int dest, int tag);

    /// Like [#irecv(Buf, int, int)], from any rank and with any tag.
    ///
    /// @throws MpiException as [#irecv(Buf, int, int)]
    Request irecv(Buf buf);

    /// Like [#irecv(Buf, int, int)], with any tag.
    ///
    /// @throws MpiException as [#irecv(Buf, int, int)]
    Request irecv(Buf buf, int source);

    /// Starts [#recv(Buf, int, int)], and returns the request. The buffer must not be used until the request is
    /// complete. Local; returns immediately. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG`, `ERR_BUFFER`, `ERR_TYPE` for an invalid argument, as
    ///     [#recv(Buf, int, int)]; `ERR_TRUNCATE` and `ERR_TYPE` for the message are thrown by the request
    Request irecv(Buf buf, int source, int tag);

    /// Like [#isendrecv(Buf, int, int, Buf, int, int)], sending with tag 0 and receiving with any tag.
    ///
    /// @throws MpiException as [#isendrecv(Buf, int, int, Buf, int, int)]
    default Request isendrecv(Buf out, int dest, Buf in, int source) {
        return isendrecv(out, dest, 0, in, source, ANY_TAG);
    }

    /// Starts [#sendrecv(Buf, int, int, Buf, int, int)], and returns the request. The request is complete when
    /// the send and the receive are complete, and has the status of the receive. Before completion, `out` must
    /// not be changed and `in` must not be accessed. The request cannot be cancelled. Local; returns
    /// immediately. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#isend(Buf, int, int)] and [#irecv(Buf, int, int)]
    Request isendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag);

    /// Like [#isendrecvReplace(Buf, int, int, int, int)], sending with tag 0 and receiving with any tag.
    ///
    /// @throws MpiException as [#isendrecvReplace(Buf, int, int, int, int)]
    default Request isendrecvReplace(Buf buf, int dest, int source) {
        return isendrecvReplace(buf, dest, 0, source, ANY_TAG);
    }

    /// Starts [#sendrecvReplace(Buf, int, int, int, int)]. The data in `buf` is copied immediately, and the
    /// copy is sent. Local. For the request, see [#isendrecv(Buf, int, int, Buf, int, int)]. MPI 4.1, section
    /// 3.10.
    ///
    /// @throws MpiException as [#isend(Buf, int, int)] and [#irecv(Buf, int, int)]
    Request isendrecvReplace(Buf buf, int dest, int sendTag, int source, int recvTag);

    // ---- persistent and partitioned messages, MPI 4.1, section 3.9 and chapter 4

    /// Prepares a send in standard mode, which can be started any number of times. Each start sends the current
    /// data in `buf`. Local. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    PersistentRequest sendInit(Buf buf, int dest, int tag);

    /// Prepares a send as [#sendInit] does, in synchronous mode; see [#ssend(Buf, int, int)]. MPI 4.1, section
    /// 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    PersistentRequest ssendInit(Buf buf, int dest, int tag);

    /// Prepares a send as [#sendInit] does, in buffered mode; see [#bsend(Buf, int, int)]. Each start completes
    /// the request immediately, or throws the errors of `bsend`. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    PersistentRequest bsendInit(Buf buf, int dest, int tag);

    /// Prepares a send as [#sendInit] does, in ready mode; see [#rsend(Buf, int, int)]. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    PersistentRequest rsendInit(Buf buf, int dest, int tag);

    /// Prepares a receive into `buf`, which can be started any number of times. Local. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#irecv(Buf, int, int)]
    PersistentRequest recvInit(Buf buf, int source, int tag);

    /// Prepares a message of `partitions` parts of equal length. Each part is sent as soon as
    /// [PartitionedSend#pready] marks it. The request can be started any number of times. Local. MPI 4.1,
    /// section 4.2.1.
    ///
    /// The n-th `psendInit` of this rank with this `dest` and `tag` matches the n-th [#precvInit] of rank
    /// `dest` with this rank as source and the same tag. The order in which the requests are started does not
    /// matter, and other messages do not match. Sender and receiver must pass the same amount of data of the
    /// same type, but may use different numbers of partitions.
    ///
    /// @throws MpiException `ERR_ARG` if `partitions` is not positive; `ERR_COUNT` if the number of elements is
    ///     not a multiple of `partitions`; `ERR_BUFFER` if the data is a `boolean[]`, a matrix, records, pairs,
    ///     or memory of a device; `ERR_RANK`, `ERR_TAG` for an invalid argument
    PartitionedSend psendInit(Buf buf, int partitions, int dest, int tag);

    /// Prepares the receive of a message that [#psendInit] sends. `source` and `tag` must not be wildcards.
    /// Local. MPI 4.1, section 4.2.1.
    ///
    /// @throws MpiException as [#psendInit]; `ERR_RANK` and `ERR_TAG` for wildcards. The request fails with
    ///     `ERR_MISMATCH`, when it is started or when it is awaited, if the sender has passed a different
    ///     amount of data
    PartitionedReceive precvInit(Buf buf, int partitions, int source, int tag);

    // ---- objects

    /// Like [#sendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    void sendObject(@Nullable Object value, int dest);

    /// Sends a value in standard mode. Blocking: returns when the value may be changed, possibly before the
    /// message is received. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException `ERR_TYPE` if a part of the value cannot be sent; the message contains the path to
    ///     this part. `ERR_RANK`, `ERR_TAG` for an invalid argument. In these cases, no data was sent
    void sendObject(@Nullable Object value, int dest, int tag);

    /// Like [#ssendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#ssendObject(Object, int, int)]
    default void ssendObject(@Nullable Object value, int dest) {
        ssendObject(value, dest, 0);
    }

    /// Sends as [#sendObject(Object, int, int)] does, in synchronous mode: returns only after the receiver has
    /// started to receive the value. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    void ssendObject(@Nullable Object value, int dest, int tag);

    /// Like [#bsendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#bsendObject(Object, int, int)]
    default void bsendObject(@Nullable Object value, int dest) {
        bsendObject(value, dest, 0);
    }

    /// Sends as [#sendObject(Object, int, int)] does, in buffered mode: copies the value and returns
    /// immediately, independently of the receiver; see [#bsend(Buf, int, int)]. Local. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]; `ERR_NO_MEM`, `ERR_BUFFER` as
    ///     [#bsend(Buf, int, int)]
    void bsendObject(@Nullable Object value, int dest, int tag);

    /// Like [#isendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#isendObject(Object, int, int)]
    default Request isendObject(@Nullable Object value, int dest) {
        return isendObject(value, dest, 0);
    }

    /// Starts [#sendObject(Object, int, int)], and returns the request. The value must not be changed until the
    /// request is complete, because large arrays are sent without a copy. Local; returns immediately. MPI 4.1,
    /// section 3.7.2.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    Request isendObject(@Nullable Object value, int dest, int tag);

    /// Like [#issendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#issendObject(Object, int, int)]
    default Request issendObject(@Nullable Object value, int dest) {
        return issendObject(value, dest, 0);
    }

    /// Starts a send as [#isendObject(Object, int, int)] does, in synchronous mode: the request is complete
    /// only after the receiver has started to receive the value. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    Request issendObject(@Nullable Object value, int dest, int tag);

    /// Like [#recvObject(Class, int, int)], from any rank and with any tag.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    <T> @Nullable T recvObject(Class<T> type);

    /// Like [#recvObject(Class, int, int)], with any tag.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    <T> @Nullable T recvObject(Class<T> type, int source);

    /// Receives a value that was sent as an object, and returns it. Returns null if null was sent, or if
    /// `source` is [#PROC_NULL]. [#recvObjectWithStatus(Class, int, int)] also returns the sender and the tag.
    /// Blocking: waits for a message. MPI 4.1, section 3.2.4.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` if `source` or `tag` is invalid and not a wildcard.
    ///     `ERR_TYPE` if the value is not a `type`, or if the message contains no object; `ERR_NO_MEM` if
    ///     memory is insufficient: in these cases, the message is lost, and the job continues
    <T> @Nullable T recvObject(Class<T> type, int source, int tag);

    /// Like [#recvObject(Class)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    <T> @Nullable T recvObject(ObjectType<T> type);

    /// Like [#recvObject(Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    <T> @Nullable T recvObject(ObjectType<T> type, int source);

    /// Like [#recvObject(Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    <T> @Nullable T recvObject(ObjectType<T> type, int source, int tag);

    /// Like [#recvObjectWithStatus(Class, int, int)], from any rank and with any tag.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    default <T> Received<T> recvObjectWithStatus(Class<T> type) {
        return recvObjectWithStatus(type, ANY_SOURCE, ANY_TAG);
    }

    /// Like [#recvObjectWithStatus(Class, int, int)], with any tag.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    default <T> Received<T> recvObjectWithStatus(Class<T> type, int source) {
        return recvObjectWithStatus(type, source, ANY_TAG);
    }

    /// Receives a value as [#recvObject(Class, int, int)] does, with the status of the message: sender and tag.
    /// MPI 4.1, section 3.2.5.
    ///
    ///     Received<Task> r = world.recvObjectWithStatus(Task.class);
    ///     world.sendObject(run(r.value()), r.source());
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    default <T> Received<T> recvObjectWithStatus(Class<T> type, int source, int tag) {
        return recvObjectWithStatus(ObjectType.of(type), source, tag);
    }

    /// Like [#recvObjectWithStatus(Class)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    default <T> Received<T> recvObjectWithStatus(ObjectType<T> type) {
        return recvObjectWithStatus(type, ANY_SOURCE, ANY_TAG);
    }

    /// Like [#recvObjectWithStatus(Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    default <T> Received<T> recvObjectWithStatus(ObjectType<T> type, int source) {
        return recvObjectWithStatus(type, source, ANY_TAG);
    }

    /// Like [#recvObjectWithStatus(Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    <T> Received<T> recvObjectWithStatus(ObjectType<T> type, int source, int tag);

    /// Like [#irecvObject(Class, int, int)], from any rank and with any tag.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    default <T> ObjectRequest<T> irecvObject(Class<T> type) {
        return irecvObject(type, ANY_SOURCE, ANY_TAG);
    }

    /// Like [#irecvObject(Class, int, int)], with any tag.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    default <T> ObjectRequest<T> irecvObject(Class<T> type, int source) {
        return irecvObject(type, source, ANY_TAG);
    }

    /// Starts [#recvObject(Class, int, int)], and returns the request, which provides the object and the
    /// status. Local; returns immediately. MPI 4.1, section 3.7.2.
    ///
    ///     ObjectRequest<Task> r = world.irecvObject(Task.class);
    ///     …
    ///     Task task = r.awaitObject();
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` if `source` or `tag` is invalid and not a wildcard; errors of
    ///     the message are thrown by the request
    default <T> ObjectRequest<T> irecvObject(Class<T> type, int source, int tag) {
        return irecvObject(ObjectType.of(type), source, tag);
    }

    /// Like [#irecvObject(Class)], for a type with type parameters.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    default <T> ObjectRequest<T> irecvObject(ObjectType<T> type) {
        return irecvObject(type, ANY_SOURCE, ANY_TAG);
    }

    /// Like [#irecvObject(Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    default <T> ObjectRequest<T> irecvObject(ObjectType<T> type, int source) {
        return irecvObject(type, source, ANY_TAG);
    }

    /// Like [#irecvObject(Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    <T> ObjectRequest<T> irecvObject(ObjectType<T> type, int source, int tag);

    /// Like [#sendrecvObject(Object, int, int, Class, int, int)], sending with tag 0 and receiving with any
    /// tag.
    ///
    /// @throws MpiException as [#sendrecvObject(Object, int, int, Class, int, int)]
    default <T> @Nullable T sendrecvObject(@Nullable Object value, int dest, Class<T> type, int source) {
        return sendrecvObject(value, dest, 0, type, source, ANY_TAG);
    }

    /// Sends a value and receives a value at the same time, so that ranks that send in a ring, or to each
    /// other, cannot block each other. Returns the received value; null if `source` is [#PROC_NULL]. Blocking.
    /// MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)] and [#recvObject(Class, int, int)]
    default <T> @Nullable T sendrecvObject(
            @Nullable Object value, int dest, int sendTag, Class<T> type, int source, int recvTag) {
        return sendrecvObject(value, dest, sendTag, ObjectType.of(type), source, recvTag);
    }

    /// Like [#sendrecvObject(Object, int, Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#sendrecvObject(Object, int, int, Class, int, int)]
    default <T> @Nullable T sendrecvObject(@Nullable Object value, int dest, ObjectType<T> type, int source) {
        return sendrecvObject(value, dest, 0, type, source, ANY_TAG);
    }

    /// Like [#sendrecvObject(Object, int, int, Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#sendrecvObject(Object, int, int, Class, int, int)]
    <T> @Nullable T sendrecvObject(
            @Nullable Object value, int dest, int sendTag, ObjectType<T> type, int source, int recvTag);

    /// Returns the value of `root` on every rank; the values of other ranks are ignored. At the root, returns
    /// `value` itself. Small objects cost one broadcast; other objects cost one broadcast for the length, one
    /// for the object, and one for each array of 32 KiB and more in the object. Collective. MPI 4.1, section
    /// 6.4.
    ///
    ///     Map<String, Integer> settings = world.bcastObject(me == 0 ? read() : null, 0);
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank; `ERR_TYPE` at the root if the value is
    ///     unsupported; the other ranks then continue to wait
    <T extends @Nullable Object> T bcastObject(T value, int root);

    /// Broadcasts as [#bcastObject(Object, int)] does, and checks that the value is a `type`.
    ///
    /// @throws MpiException as [#bcastObject(Object, int)]; `ERR_TYPE` if the value is not a `type`
    default <T> @Nullable T bcastObject(Class<T> type, @Nullable T value, int root) {
        return bcastObject(ObjectType.of(type), value, root);
    }

    /// Like [#bcastObject(Class, Object, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#bcastObject(Class, Object, int)]
    <T> @Nullable T bcastObject(ObjectType<T> type, @Nullable T value, int root);

    /// Sends the r-th value of `root` to rank r, and returns this rank's value; other ranks pass null.
    /// Collective. MPI 4.1, section 6.6.
    ///
    /// @throws MpiException `ERR_COUNT` at the root if `values` does not contain `size()` values, `ERR_TYPE` at
    ///     the root if a value cannot be sent: in these cases, no value was sent, and the other ranks continue
    ///     to wait; `ERR_ROOT` if `root` is not a rank
    <T extends @Nullable Object> T scatterObject(@Nullable List<? extends T> values, int root);

    /// At `root`, returns the values of all ranks, in a modifiable list in rank order; returns null on the
    /// other ranks. The lengths are gathered first, then the objects. Collective. MPI 4.1, section 6.5.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank; `ERR_TYPE` on a rank that passes an unsupported
    ///     value
    <T extends @Nullable Object> @Nullable List<T> gatherObject(T value, int root);

    /// Returns, on every rank, the values of all ranks, in a modifiable list in rank order. Collective. MPI
    /// 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_TYPE` on a rank that passes an unsupported value
    <T extends @Nullable Object> List<T> allgatherObject(T value);

    /// Sends the r-th of `values` to rank r, and returns the values that all ranks have sent to this rank, in
    /// rank order. Collective. MPI 4.1, section 6.8.
    ///
    /// @throws MpiException `ERR_COUNT` if `values` does not contain `size()` values, `ERR_TYPE` if a value
    ///     cannot be sent: in these cases, no value was sent, and the other ranks continue to wait
    <T extends @Nullable Object> List<T> alltoallObject(List<? extends T> values);

    /// At `root`, combines the values of all ranks in rank order, `op(op(v0, v1), v2)` and so on, and returns
    /// the result; returns null on the other ranks. `op` can be any function, because it is applied only at the
    /// root, to copies, in this order. The cost is that of a [#gatherObject]. Collective. MPI 4.1, section
    /// 6.9.1.
    ///
    /// @throws MpiException as [#gatherObject]; exceptions of `op` are thrown at the root
    <T extends @Nullable Object> @Nullable T reduceObject(T value, int root, BinaryOperator<T> op);

    /// Combines the values of all ranks as [#reduceObject] does, on every rank: each rank receives all values
    /// and combines them. An exception of `op` therefore affects only the rank on which it is thrown, and no
    /// rank waits for the `op` of a different rank. The cost is that of an [#allgatherObject]. Collective. MPI
    /// 4.1, section 6.9.6.
    ///
    /// @throws MpiException as [#allgatherObject]; exceptions of `op` are thrown on the rank on which `op` has
    ///     thrown
    <T extends @Nullable Object> T allreduceObject(T value, BinaryOperator<T> op);

    // ---- blocking collective operations, MPI 4.1, sections 6.3 to 6.11

    /// Waits until every rank has called this method. Collective, blocking. `MPI_Barrier`, MPI 4.1, section
    /// 6.3.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    void barrier();

    /// Copies the data of `buf` at `root` to every rank. All ranks must pass the same number of elements of the
    /// same type. Collective: returns when this rank has the data; at the root, when `buf` can be reused.
    /// `MPI_Bcast`, MPI 4.1, section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank; `ERR_BUFFER` if a buffer is missing or
    ///     read-only, or is `IN_PLACE` where this is not permitted; `ERR_TYPE` if some bytes occur twice in the
    ///     type of a receive buffer; `ERR_MISMATCH`, which ends the job, if ranks pass different roots or
    ///     amounts
    void bcast(Buf buf, int root);

    /// Collects the `send` of every rank in the `recv` of `root`, in rank order; the other ranks pass `NONE`
    /// for `recv`. Without blocks, all ranks send `recv.count() / size()` elements; with [Buf#blocks(int...)]
    /// at the root, rank r sends `counts[r]`. At the root `send` may be `IN_PLACE`. Collective. `MPI_Gather`
    /// and `MPI_Gatherv`, MPI 4.1, section 6.5.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank; `ERR_BUFFER` if a buffer is missing or
    ///     read-only, or is `IN_PLACE` where this is not permitted; `ERR_COUNT` if the elements or blocks do
    ///     not match the number of ranks, or if the block that this rank sends to itself has different lengths
    ///     in the two buffers; `ERR_TYPE` if the send and the receive buffer of this rank differ in type
    void gather(Buf send, Buf recv, int root);

    /// Sends block r of the `send` of `root` to the `recv` of rank r; the other ranks pass `NONE` for `send`.
    /// Without blocks, all ranks receive `send.count() / size()` elements; with [Buf#blocks(int...)] at the
    /// root, rank r receives `counts[r]`. At the root, `recv` may be `IN_PLACE`: the root's block then stays in
    /// `send`. Collective. `MPI_Scatter` and `MPI_Scatterv`, MPI 4.1, section 6.6.
    ///
    /// @throws MpiException as [#gather(Buf, Buf, int)]
    void scatter(Buf send, Buf recv, int root);

    /// Collects the `send` of every rank in the `recv` of every rank, in rank order. If `recv` has blocks, all
    /// ranks must pass the same blocks. Collective. `MPI_Allgather` and `MPI_Allgatherv`, MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_BUFFER` if a buffer is missing or read-only, or is `IN_PLACE` where this is
    ///     not permitted; `ERR_COUNT` if the elements or blocks do not match the number of ranks, or if the
    ///     block that this rank sends to itself has different lengths in the two buffers; `ERR_TYPE` if the
    ///     send and the receive buffer of this rank differ in type
    void allgather(Buf send, Buf recv);

    /// Sends block r of `send` to rank r, and receives a block from every rank into `recv`, in rank order.
    /// Without [Buf#blocks(int...)], all blocks of all ranks must have the same length. Otherwise all ranks
    /// must describe `send` and `recv` with [Buf#blocks(int...)], and the block that r sends to s must have the
    /// length of the block that s receives from r. Collective. `MPI_Alltoall` and `MPI_Alltoallv`, MPI 4.1,
    /// section 6.8.
    ///
    /// @throws MpiException `ERR_BUFFER` if a buffer is missing or read-only, or is `IN_PLACE` where this is
    ///     not permitted; `ERR_COUNT` if the elements or blocks do not match the number of ranks, or if the
    ///     block that this rank sends to itself has different lengths in the two buffers; `ERR_TYPE` if the
    ///     send and the receive buffer of this rank differ in type; `ERR_ARG` if only `send` or only `recv` has
    ///     blocks
    void alltoall(Buf send, Buf recv);

    /// Sends the buffer `send[r]` to rank r, and receives from every rank r into `recv[r]`. Each buffer has a
    /// separate type and length; the buffer that r sends to s must have the type signature of the buffer into
    /// which s receives from r. [Buf#NONE] is an empty buffer. Collective. `MPI_Alltoallw`, MPI 4.1, section
    /// 6.8.
    ///
    /// @throws MpiException `ERR_COUNT` if `send` or `recv` does not have one buffer for each rank;
    ///     `ERR_BUFFER` if a buffer cannot be used in this call; `ERR_TYPE`, `ERR_COUNT` if the two buffers for
    ///     the data that this rank sends to itself do not match
    void alltoallw(Buf[] send, Buf[] recv);

    /// Combines `send` element by element over all ranks, and stores the result in the `recv` of `root`; the
    /// other ranks pass `NONE` for `recv`. All ranks must pass the same number of elements of the same type,
    /// and the same `op` and `root`. Collective. `MPI_Reduce`, MPI 4.1, section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank; `ERR_OP` if `op` is not defined for the type;
    ///     `ERR_TYPE` if the types of the buffers differ; `ERR_BUFFER` if `recv` is shorter than `send`, or a
    ///     buffer is missing or read-only
    void reduce(Buf send, Buf recv, Op op, int root);

    /// Combines `send` element by element over all ranks, and stores the same result in `recv` on every rank.
    /// All ranks must pass the same number of elements of the same type, and the same `op`; `recv` may be
    /// longer than `send`. The buffers must not overlap. Collective: on return, `recv` is complete on this
    /// rank, but other ranks may still be in the call. `MPI_Allreduce`, MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for the type; `ERR_TYPE` if the types of the
    ///     buffers differ; `ERR_BUFFER` if `recv` is shorter than `send`, or a buffer is missing or read-only
    void allreduce(Buf send, Buf recv, Op op);

    /// Combines `send`, which has a block of `send.count() / size()` elements for each rank, element by element
    /// over all ranks; rank r receives block r of the result in `recv`. Collective. `MPI_Reduce_scatter_block`,
    /// MPI 4.1, section 6.10.1.
    ///
    /// @throws MpiException `ERR_COUNT` if `send.count()` is not a multiple of the number of ranks, or `send`
    ///     has blocks; `ERR_OP` if `op` is not defined for the type; `ERR_TYPE` if the types of the buffers
    ///     differ; `ERR_BUFFER` if `recv` is shorter than a block, or a buffer is missing or read-only
    void reduceScatterBlock(Buf send, Buf recv, Op op);

    /// Combines `send` element by element over all ranks; rank r receives block r of the result in `recv`. All
    /// ranks must describe `send` with the same contiguous [Buf#blocks(int...)]. Collective.
    /// `MPI_Reduce_scatter`, MPI 4.1, section 6.10.2.
    ///
    /// @throws MpiException `ERR_COUNT` unless `send` has one block for each rank, and the blocks are
    ///     contiguous; `ERR_OP` if `op` is not defined for the type; `ERR_TYPE` if the types of the buffers
    ///     differ; `ERR_BUFFER` if `recv` is shorter than this rank's block, or a buffer is missing or
    ///     read-only
    void reduceScatter(Buf send, Buf recv, Op op);

    // ---- collective operations on one value

    /// Returns the root's value on every rank; the values of other ranks are ignored. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank
    double bcast(double value, int root);

    /// Returns the root's value on every rank; the values of other ranks are ignored. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank
    float bcast(float value, int root);

    /// Returns the root's value on every rank; the values of other ranks are ignored. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank
    long bcast(long value, int root);

    /// Returns the root's value on every rank; the values of other ranks are ignored. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank
    int bcast(int value, int root);

    /// Returns the root's value on every rank; the values of other ranks are ignored. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank
    boolean bcast(boolean value, int root);

    /// Returns, on every rank, the values of all ranks, in rank order. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    double[] allgather(double value);

    /// Returns, on every rank, the values of all ranks, in rank order. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    float[] allgather(float value);

    /// Returns, on every rank, the values of all ranks, in rank order. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    long[] allgather(long value);

    /// Returns, on every rank, the values of all ranks, in rank order. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    int[] allgather(int value);

    /// Returns, on every rank, the values of all ranks, in rank order. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    boolean[] allgather(boolean value);

    /// At the root, returns the combination of all ranks' values; returns an empty result on the other ranks.
    /// Collective. MPI 4.1, section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank; `ERR_OP` if `op` is not defined for `double`
    OptionalDouble reduce(double value, Op op, int root);

    /// At the root, returns the combination of all ranks' values; returns null on the other ranks. Collective.
    /// MPI 4.1, section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank; `ERR_OP` if `op` is not defined for `float`
    @Nullable
    Float reduce(float value, Op op, int root);

    /// At the root, returns the combination of all ranks' values; returns an empty result on the other ranks.
    /// Collective. MPI 4.1, section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank; `ERR_OP` if `op` is not defined for `long`
    OptionalLong reduce(long value, Op op, int root);

    /// At the root, returns the combination of all ranks' values; returns an empty result on the other ranks.
    /// Collective. MPI 4.1, section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank; `ERR_OP` if `op` is not defined for `int`
    OptionalInt reduce(int value, Op op, int root);

    /// At the root, returns the combination of all ranks' values; returns null on the other ranks. Collective.
    /// MPI 4.1, section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` if `root` is not a rank; `ERR_OP` if `op` is not defined for `boolean`
    @Nullable
    Boolean reduce(boolean value, Op op, int root);

    /// Returns, on every rank, the combination of all ranks' values; the bits of the result are the same on all
    /// ranks. Collective. MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `double`
    double allreduce(double value, Op op);

    /// Returns, on every rank, the combination of all ranks' values; the bits of the result are the same on all
    /// ranks. Collective. MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `float`
    float allreduce(float value, Op op);

    /// Returns, on every rank, the combination of all ranks' values; the bits of the result are the same on all
    /// ranks. Collective. MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `long`
    long allreduce(long value, Op op);

    /// Returns, on every rank, the combination of all ranks' values; the bits of the result are the same on all
    /// ranks. Collective. MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `int`
    int allreduce(int value, Op op);

    /// Returns, on every rank, the combination of all ranks' values; the bits of the result are the same on all
    /// ranks. Collective. MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `boolean`
    boolean allreduce(boolean value, Op op);

    /// Returns the largest value of all ranks, and the `index` that was passed with it, for example a rank or a
    /// position. If several ranks pass the largest value, returns the smallest index of these ranks. This is an
    /// allreduce with [Op#MAXLOC]. Collective. MPI 4.1, section 6.9.4.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    DoubleInt maxLoc(double value, int index);

    /// Like [#maxLoc(double, int)], for a `long`. Collective. MPI 4.1, section 6.9.4.
    ///
    /// @throws MpiException as [#maxLoc(double, int)]
    LongInt maxLoc(long value, int index);

    /// Returns the smallest value of all ranks, and the `index` that was passed with it, for example a rank or
    /// a position. If several ranks pass the smallest value, returns the smallest index of these ranks. This is
    /// an allreduce with [Op#MINLOC]. Collective. MPI 4.1, section 6.9.4.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    DoubleInt minLoc(double value, int index);

    /// Like [#minLoc(double, int)], for a `long`. Collective. MPI 4.1, section 6.9.4.
    ///
    /// @throws MpiException as [#minLoc(double, int)]
    LongInt minLoc(long value, int index);

    // ---- nonblocking collective operations, MPI 4.1, section 6.12

    /// Begins [#barrier()]. Collective; returns immediately. MPI 4.1, section 6.12.1.
    ///
    /// @throws MpiException as [#barrier()]; a failure after the start is thrown by the request
    Request ibarrier();

    /// Begins [#bcast(Buf, int)]. Collective; returns immediately. MPI 4.1, section 6.12.2.
    ///
    /// @throws MpiException as [#bcast(Buf, int)] for an invalid argument; a later failure is thrown by the
    ///     request
    Request ibcast(Buf buf, int root);

    /// Begins [#gather(Buf, Buf, int)]. Collective; returns immediately. MPI 4.1, section 6.12.3.
    ///
    /// @throws MpiException as [#gather(Buf, Buf, int)] for an invalid argument; a later failure is thrown by
    ///     the request
    Request igather(Buf send, Buf recv, int root);

    /// Begins [#scatter(Buf, Buf, int)]. Collective; returns immediately. MPI 4.1, section 6.12.4.
    ///
    /// @throws MpiException as [#scatter(Buf, Buf, int)] for an invalid argument; a later failure is thrown by
    ///     the request
    Request iscatter(Buf send, Buf recv, int root);

    /// Begins [#allgather(Buf, Buf)]. Collective; returns immediately. MPI 4.1, section 6.12.5.
    ///
    /// @throws MpiException as [#allgather(Buf, Buf)] for an invalid argument; a later failure is thrown by the
    ///     request
    Request iallgather(Buf send, Buf recv);

    /// Begins [#alltoall(Buf, Buf)]. Collective; returns immediately. MPI 4.1, section 6.12.6.
    ///
    /// @throws MpiException as [#alltoall(Buf, Buf)] for an invalid argument; a later failure is thrown by the
    ///     request
    Request ialltoall(Buf send, Buf recv);

    /// Begins [#alltoallw(Buf\[\], Buf\[\])]. Collective; returns immediately. MPI 4.1, section 6.12.6.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\], Buf\[\])] for an invalid argument; a later failure is
    ///     thrown by the request
    Request ialltoallw(Buf[] send, Buf[] recv);

    /// Begins [#reduce(Buf, Buf, Op, int)]. Collective; returns immediately. MPI 4.1, section 6.12.7.
    ///
    /// @throws MpiException as [#reduce(Buf, Buf, Op, int)] for an invalid argument; a later failure is thrown
    ///     by the request
    Request ireduce(Buf send, Buf recv, Op op, int root);

    /// Begins [#allreduce(Buf, Buf, Op)]. Collective; returns immediately. MPI 4.1, section 6.12.8.
    ///
    /// @throws MpiException as [#allreduce(Buf, Buf, Op)] for an invalid argument; a later failure is thrown by
    ///     the request
    Request iallreduce(Buf send, Buf recv, Op op);

    /// Begins [#reduceScatterBlock(Buf, Buf, Op)]. Collective; returns immediately. MPI 4.1, section 6.12.9.
    ///
    /// @throws MpiException as [#reduceScatterBlock(Buf, Buf, Op)] for an invalid argument; a later failure is
    ///     thrown by the request
    Request ireduceScatterBlock(Buf send, Buf recv, Op op);

    /// Begins [#reduceScatter(Buf, Buf, Op)]. Collective; returns immediately. MPI 4.1, section 6.12.10.
    ///
    /// @throws MpiException as [#reduceScatter(Buf, Buf, Op)] for an invalid argument; a later failure is
    ///     thrown by the request
    Request ireduceScatter(Buf send, Buf recv, Op op);

    // ---- persistent collective operations, MPI 4.1, section 6.13

    /// Prepares [#barrier()]. Collective, blocking. MPI 4.1, section 6.13.1.
    ///
    /// @throws MpiException as [#barrier()]; a failure after the start is thrown by the request
    PersistentRequest barrierInit();

    /// Prepares [#bcast(Buf, int)]. Collective, blocking. MPI 4.1, section 6.13.2.
    ///
    /// @throws MpiException as [#bcast(Buf, int)] for an invalid argument; a later failure is thrown by the
    ///     request
    PersistentRequest bcastInit(Buf buf, int root);

    /// Prepares [#gather(Buf, Buf, int)]. Collective, blocking. MPI 4.1, section 6.13.3.
    ///
    /// @throws MpiException as [#gather(Buf, Buf, int)] for an invalid argument; a later failure is thrown by
    ///     the request
    PersistentRequest gatherInit(Buf send, Buf recv, int root);

    /// Prepares [#scatter(Buf, Buf, int)]. Collective, blocking. MPI 4.1, section 6.13.4.
    ///
    /// @throws MpiException as [#scatter(Buf, Buf, int)] for an invalid argument; a later failure is thrown by
    ///     the request
    PersistentRequest scatterInit(Buf send, Buf recv, int root);

    /// Prepares [#allgather(Buf, Buf)]. Collective, blocking. MPI 4.1, section 6.13.5.
    ///
    /// @throws MpiException as [#allgather(Buf, Buf)] for an invalid argument; a later failure is thrown by the
    ///     request
    PersistentRequest allgatherInit(Buf send, Buf recv);

    /// Prepares [#alltoall(Buf, Buf)]. Collective, blocking. MPI 4.1, section 6.13.6.
    ///
    /// @throws MpiException as [#alltoall(Buf, Buf)] for an invalid argument; a later failure is thrown by the
    ///     request
    PersistentRequest alltoallInit(Buf send, Buf recv);

    /// Prepares [#alltoallw(Buf\[\], Buf\[\])]. Collective, blocking. MPI 4.1, section 6.13.6.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\], Buf\[\])] for an invalid argument; a later failure is
    ///     thrown by the request
    PersistentRequest alltoallwInit(Buf[] send, Buf[] recv);

    /// Prepares [#reduce(Buf, Buf, Op, int)]. Collective, blocking. MPI 4.1, section 6.13.7.
    ///
    /// @throws MpiException as [#reduce(Buf, Buf, Op, int)] for an invalid argument; a later failure is thrown
    ///     by the request
    PersistentRequest reduceInit(Buf send, Buf recv, Op op, int root);

    /// Prepares [#allreduce(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.8.
    ///
    /// @throws MpiException as [#allreduce(Buf, Buf, Op)] for an invalid argument; a later failure is thrown by
    ///     the request
    PersistentRequest allreduceInit(Buf send, Buf recv, Op op);

    /// Prepares [#reduceScatterBlock(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.9.
    ///
    /// @throws MpiException as [#reduceScatterBlock(Buf, Buf, Op)] for an invalid argument; a later failure is
    ///     thrown by the request
    PersistentRequest reduceScatterBlockInit(Buf send, Buf recv, Op op);

    /// Prepares [#reduceScatter(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.10.
    ///
    /// @throws MpiException as [#reduceScatter(Buf, Buf, Op)] for an invalid argument; a later failure is
    ///     thrown by the request
    PersistentRequest reduceScatterInit(Buf send, Buf recv, Op op);
}
