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

/// The operations that a [Comm] of one group and an [Intercomm] of two groups have in common: rank, size,
/// group, name, attributes, messages, and the collective operations that MPI defines for both.
///
/// Ranks are ranks of this communicator; on an [Intercomm], a source and a destination are ranks of the remote
/// group. A tag is a number from 0 to [#tagUpperBound]; without one, a send uses 0 and a receive takes any tag.
/// Typed messages must be received with the type they were sent with. MPI 4.1, chapters 3, 6 and 7.
///
/// ## Objects
///
/// Methods whose name ends with `Object` send a value instead of a buffer: null, numbers, strings, arrays,
/// collections, enums, records, and values composed of these; `docs/decisions/19-object-codec.md` has the list.
/// A value is copied, never shared, and its size travels with it. Arrays of 32 KiB and more inside a value are
/// sent from their memory without another copy. Java serialization is not used.
///
/// ## Collective operations
///
/// All ranks call a collective operation in the same order, with the same `root` and `op`. A scalar form takes
/// a value and returns a result; it matches the operation of the same name on a buffer of one element. A
/// nonblocking form starts the operation and returns a request; its buffers belong to the engine until the
/// request is complete, buffers that are only read included. Several can be active on one communicator and
/// complete in any order. A persistent form prepares the operation, which can be started many times on the same
/// buffers. Blocking, nonblocking and persistent calls do not match each other. With [Buf#IN_PLACE], the
/// contribution of the rank is stored where its result will be; only a [Comm] has operations in place.
///
/// ## Errors
///
/// An operation throws an [MpiException]; wrong arguments are found before anything is sent. In addition to the
/// errors that a method documents, every operation throws `ERR_COMM` when the communicator is closed or has no
/// ranks, `ERR_BUFFER` when memory of a `Buf` cannot be accessed, because its arena is closed or belongs to
/// another thread, `ERR_OTHER` after [Mpi#close], and, once the job has failed, the cause: `ERR_PROC_FAILED`
/// when a rank failed or left while another rank waited for it, `ERR_MISMATCH` when ranks made calls that do
/// not match.
public sealed interface Communicator permits CommHandle {
    // ---- rank, size, name

    /// Any sender, as the source of a receive.
    int ANY_SOURCE = Transfer.ANY_SOURCE;

    /// Any tag, in a receive.
    int ANY_TAG = Transfer.ANY_TAG;

    /// No rank, as a destination or a source: the operation completes immediately and moves no data (MPI 4.1,
    /// section 3.11).
    int PROC_NULL = Transfer.PROC_NULL;

    /// The calling rank, as the root of a collective operation between two groups. The other ranks of its group
    /// pass [#PROC_NULL], and the ranks of the remote group pass the rank of the root (MPI 4.1, section 6.2.3).
    int ROOT = -3;

    /// The color of a rank that is in no part of a split.
    int UNDEFINED = -32766;

    /// Returns the caller's rank, from 0 to `size() - 1`; of an intercommunicator, in the local group. Local.
    /// `MPI_Comm_rank`, MPI 4.1, section 7.4.1.
    int rank();

    /// Returns the number of ranks; of an intercommunicator, in the local group. 0 for a communicator without
    /// ranks, which [Comm#split(int, int)] returns to a rank that is in no part. Local. `MPI_Comm_size`, MPI
    /// 4.1, section 7.4.1.
    int size();

    /// Returns the name, which error messages contain. Local. `MPI_Comm_get_name`, MPI 4.1, section 7.8.
    String name();

    /// Returns the failure of the job, for a program that waits outside of MPI for other ranks: for a library
    /// between devices, or a file. Null while the job has not failed. Never waits. Local.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    @Nullable
    MpiException failure();

    /// Returns the largest tag; at least 32767. Local. `MPI_TAG_UB`, MPI 4.1, section 9.1.2.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    int tagUpperBound();

    /// Returns the group of its ranks; of an intercommunicator, the local group. Local. `MPI_Comm_group`, MPI
    /// 4.1, section 7.3.2.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    Group group();

    /// Returns whether it has two groups, and is an [Intercomm]. Local. `MPI_Comm_test_inter`, MPI 4.1,
    /// section 7.6.1.
    boolean isInter();

    /// Returns [Comparison#IDENT] when `other` is this communicator, [Comparison#CONGRUENT] when it has the
    /// same ranks in the same order, [Comparison#SIMILAR] when in another order, else [Comparison#UNEQUAL].
    /// Of two intercommunicators both groups must be the same, or similar; with an intracommunicator one is
    /// `UNEQUAL`. Local. `MPI_Comm_compare`, MPI 4.1, section 7.4.1.
    ///
    /// @throws MpiException `ERR_COMM` when one of both is closed or has no ranks
    Comparison compare(Communicator other);

    /// Returns an error of a library on top of MPI, in the form of all errors, for it to throw: `solve:
    /// ERR_SOLVER, the iteration diverged: residual=3.0 (rank 1 of 4, WORLD)`. Its scope is `ARGUMENT`,
    /// because MPI goes on. To throw it is `MPI_Comm_call_errhandler`. Local. MPI 4.1, section 9.5.
    ///
    /// @param operation the library's word for what it was doing
    /// @param detail the values, and what to do
    MpiException error(String operation, ErrorCode code, String detail);

    /// Gives it a name: from now on errors call it so. A communicator that has no name of its own is called
    /// by where it comes from: `WORLD.split1`. Local. `MPI_Comm_set_name`, MPI 4.1, section 7.8.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    void setName(String name);

    /// Returns what was kept under `key` at this communicator, on this rank; null when nothing was. Local.
    /// `MPI_Comm_get_attr`, MPI 4.1, section 7.7.2.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    <T> @Nullable T attribute(AttributeKey<T> key);

    /// Keeps `value` under `key`, in the place of what was there, which the key's deleter gets first. Local.
    /// `MPI_Comm_set_attr`, MPI 4.1, section 7.7.2.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    <T> void setAttribute(AttributeKey<T> key, T value);

    /// Hands what was kept under `key` to the key's deleter, forgets and returns it; null when nothing was.
    /// Local. `MPI_Comm_delete_attr`, MPI 4.1, section 7.7.2.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    <T> @Nullable T deleteAttribute(AttributeKey<T> key);

    /// Returns the hints that hold for this communicator on this rank; what is returned does not change any
    /// more. Local. `MPI_Comm_get_info`, MPI 4.1, section 7.4.4.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    Map<String, String> info();

    /// Sets these hints; the others stay. Three have an effect: with `tutti_idle` = `true`, ranks that wait
    /// for messages here wait for work: they are never reported as stalled or deadlocked. With
    /// `tutti_outlives` = `true`, in a job that goes on when a rank dies (`tutti run --pool` on shared
    /// memory), its requests with that rank and its collective calls end with `ERR_PROC_FAILED`, a wait for
    /// any rank does so once, and all else goes on; with `tutti_fails_together` = `true`, too, every receive
    /// and probe does so from the moment that this rank knows, of ranks that live as well, and what these
    /// send to it is refused by the same error, if they wait for its receive. All are kept and given back.
    /// Collective; returns immediately. `MPI_Comm_set_info`, MPI 4.1, section 7.4.4.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    void setInfo(Map<String, String> newHints);

    // ---- blocking messages, MPI 4.1, sections 3.2 to 3.6, 3.8, 3.10

    /// As [#send(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    void send(Buf buf, int dest);

    /// Sends `buf` to `dest` in standard mode. Blocking: returns when the buffer may be used again, which may
    /// be before or after the message was received. MPI 4.1, sections 3.2.1 and 3.4.
    ///
    /// @throws MpiException `ERR_RANK` when `dest` is no rank; `ERR_TAG` when the tag is negative or too
    ///     large; `ERR_BUFFER` when `buf` is `IN_PLACE` or a record in it is null: nothing was sent
    void send(Buf buf, int dest, int tag);

    /// As [#ssend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#ssend(Buf, int, int)]
    void ssend(Buf buf, int dest);

    /// As [#send(Buf, int, int)], in synchronous mode: returns only when a receive has matched the message
    /// and begun to take it. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    void ssend(Buf buf, int dest, int tag);

    /// As [#bsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#bsend(Buf, int, int)]
    default void bsend(Buf buf, int dest) {
        bsend(buf, dest, 0);
    }

    /// As [#send(Buf, int, int)], in buffered mode: copies the message and returns immediately, independently
    /// of the receiver. Local. Tutti allocates the memory and reuses it, as with `MPI_BUFFER_AUTOMATIC` of the
    /// standard (section 3.6); [Mpi#flushBuffers] waits until it contains no message, which [Mpi#close] does
    /// not. If the program has attached a buffer ([#attachBuffer(long)], [Mpi#attachBuffer(long)]), the copy is
    /// stored there. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]; `ERR_NO_MEM` when there is no memory for the copy;
    ///     `ERR_BUFFER` when it does not fit into the buffer that was attached: nothing was sent
    void bsend(Buf buf, int dest, int tag);

    /// As [#rsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#rsend(Buf, int, int)]
    void rsend(Buf buf, int dest);

    /// As [#send(Buf, int, int)], in ready mode, for a message whose receive has been posted already. Without
    /// that the program is wrong, although nothing may show it: an engine may send in standard mode, and both
    /// do now. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    void rsend(Buf buf, int dest, int tag);

    /// What a message in buffered mode takes of an attached buffer, at most, beside its own bytes. MPI 4.1,
    /// section 3.6.
    int BSEND_OVERHEAD = 64;

    /// Attaches a buffer of `bytes` bytes for the messages of this communicator in buffered mode, until
    /// [#detachBuffer]; it limits the memory that they use. Each message takes its size and [#BSEND_OVERHEAD]
    /// bytes, until it has been sent. Without a buffer here, the buffer of [Mpi#attachBuffer] is used, and
    /// without that memory is allocated as needed (`MPI_BUFFER_AUTOMATIC`). Local. `MPI_Comm_attach_buffer`,
    /// MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` when one is attached; `ERR_ARG` when `bytes` is negative;
    ///     `ERR_NO_MEM` when there is not enough memory
    void attachBuffer(long bytes);

    /// As [#attachBuffer(long)], in this memory, which the program leaves alone until [#detachBuffer].
    ///
    /// @throws MpiException `ERR_BUFFER` when one is attached, or it is null or read-only
    void attachBuffer(MemorySegment buffer);

    /// Takes this communicator's buffer away and returns it. Blocking: waits until every message was sent out
    /// of it. `MPI_Comm_detach_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` when none is attached
    MemorySegment detachBuffer();

    /// Waits until every message in the buffer that this communicator uses has been sent. Blocking.
    /// `MPI_Comm_flush_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    void flushBuffer();

    /// Begins [#flushBuffer] and returns a request for it. Local. `MPI_Comm_iflush_buffer`, MPI 4.1, section
    /// 3.6.
    ///
    /// @throws MpiException as [#flushBuffer]
    Request iflushBuffer();

    /// As [#recv(Buf, int, int)], from anybody and with any tag.
    ///
    /// @throws MpiException as [#recv(Buf, int, int)]
    Status recv(Buf buf);

    /// As [#recv(Buf, int, int)], with any tag.
    ///
    /// @throws MpiException as [#recv(Buf, int, int)]
    Status recv(Buf buf, int source);

    /// Receives a message from `source` with `tag` into `buf`, and returns its status. The message may be
    /// shorter than the buffer; the status has its length. A receive from [#PROC_NULL] gets no data. Blocking:
    /// waits for a message. MPI 4.1, section 3.2.4.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` when `source` or `tag` is neither one nor a wildcard;
    ///     `ERR_BUFFER` when `buf` cannot be received into; `ERR_TYPE` when its type has some bytes twice. Of
    ///     the message, which is lost then while everything else goes on: `ERR_TRUNCATE` when it is longer
    ///     than the buffer, `ERR_TYPE` when it was sent with another type
    Status recv(Buf buf, int source, int tag);

    /// As [#sendrecv(Buf, int, int, Buf, int, int)], sending with tag 0 and receiving with any.
    ///
    /// @throws MpiException as [#sendrecv(Buf, int, int, Buf, int, int)]
    default Status sendrecv(Buf out, int dest, Buf in, int source) {
        return sendrecv(out, dest, 0, in, source, ANY_TAG);
    }

    /// Sends `out` to `dest` and receives into `in` from `source` at the same time, so that a ring or an
    /// exchange cannot block; returns the status of the receive. The buffers do not overlap. Blocking:
    /// returns when `in` is filled and `out` may be used again. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#send(Buf, int, int)] and [#recv(Buf, int, int)]
    Status sendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag);

    /// As [#sendrecvReplace(Buf, int, int, int, int)], sending with tag 0 and receiving with any.
    ///
    /// @throws MpiException as [#sendrecvReplace(Buf, int, int, int, int)]
    default Status sendrecvReplace(Buf buf, int dest, int source) {
        return sendrecvReplace(buf, dest, 0, source, ANY_TAG);
    }

    /// Sends what is in `buf` and receives into the same `buf`, at the same time; a message that is shorter
    /// leaves the rest of it as it was. The data is copied once on the way out. Blocking. MPI 4.1, section
    /// 3.10.
    ///
    /// @throws MpiException as [#send(Buf, int, int)] and [#recv(Buf, int, int)]
    Status sendrecvReplace(Buf buf, int dest, int sendTag, int source, int recvTag);

    /// Waits for a message that `recv(…, source, tag)` would take, and returns its source, tag and length.
    /// The message stays where it is. [Status#count(Datatype)] has its length in elements. Blocking. MPI 4.1,
    /// section 3.8.1.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` when `source` or `tag` is neither one nor a wildcard
    Status probe(int source, int tag);

    /// As [#probe], but returns null at once when there is no such message. Local. MPI 4.1, section 3.8.1.
    ///
    /// @throws MpiException as [#probe]
    @Nullable
    Status iprobe(int source, int tag);

    /// As [#probe], and takes the message: only [Message#recv] and the like receive it, so that another
    /// thread that probes or receives cannot come between. From [#PROC_NULL], a message of nothing. Blocking.
    /// MPI 4.1, section 3.8.2.
    ///
    /// @throws MpiException as [#probe]
    Message mprobe(int source, int tag);

    /// As [#mprobe], but returns null at once when there is no such message. Local. MPI 4.1, section 3.8.2.
    ///
    /// @throws MpiException as [#probe]
    @Nullable
    Message improbe(int source, int tag);

    // ---- nonblocking messages, MPI 4.1, sections 3.7 and 3.10

    /// As [#isend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#isend(Buf, int, int)]
    Request isend(Buf buf, int dest);

    /// Begins [#send(Buf, int, int)] and returns its request; the buffer must not be changed until that is
    /// complete. Local; returns immediately. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    Request isend(Buf buf, int dest, int tag);

    /// As [#issend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#issend(Buf, int, int)]
    Request issend(Buf buf, int dest);

    /// As [#isend(Buf, int, int)], in synchronous mode: the request is complete only when a receive has
    /// matched the message and begun to take it. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    Request issend(Buf buf, int dest, int tag);

    /// As [#ibsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#ibsend(Buf, int, int)]
    default Request ibsend(Buf buf, int dest) {
        return ibsend(buf, dest, 0);
    }

    /// As [#bsend(Buf, int, int)], with a request, which is complete. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#bsend(Buf, int, int)]
    Request ibsend(Buf buf, int dest, int tag);

    /// As [#irsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#irsend(Buf, int, int)]
    Request irsend(Buf buf, int dest);

    /// As [#isend(Buf, int, int)], in ready mode, for a message whose receive has been posted already; see
    /// [#rsend(Buf, int, int)]. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    Request irsend(Buf buf, int dest, int tag);

    /// As [#irecv(Buf, int, int)], from anybody and with any tag.
    ///
    /// @throws MpiException as [#irecv(Buf, int, int)]
    Request irecv(Buf buf);

    /// As [#irecv(Buf, int, int)], with any tag.
    ///
    /// @throws MpiException as [#irecv(Buf, int, int)]
    Request irecv(Buf buf, int source);

    /// Begins [#recv(Buf, int, int)] and returns its request; the buffer must not be used until that is
    /// complete. Local; returns immediately. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG`, `ERR_BUFFER`, `ERR_TYPE` for an argument, as
    ///     [#recv(Buf, int, int)]; `ERR_TRUNCATE` and `ERR_TYPE` of the message come out of the request
    Request irecv(Buf buf, int source, int tag);

    /// As [#isendrecv(Buf, int, int, Buf, int, int)], sending with tag 0 and receiving with any.
    ///
    /// @throws MpiException as [#isendrecv(Buf, int, int, Buf, int, int)]
    default Request isendrecv(Buf out, int dest, Buf in, int source) {
        return isendrecv(out, dest, 0, in, source, ANY_TAG);
    }

    /// Begins [#sendrecv(Buf, int, int, Buf, int, int)] and returns its request, which is complete when both
    /// halves are; its status is the receive's. Until then `out` must not be changed and `in` not be used. It
    /// cannot be cancelled. Local; returns immediately. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#isend(Buf, int, int)] and [#irecv(Buf, int, int)]
    Request isendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag);

    /// As [#isendrecvReplace(Buf, int, int, int, int)], sending with tag 0 and receiving with any.
    ///
    /// @throws MpiException as [#isendrecvReplace(Buf, int, int, int, int)]
    default Request isendrecvReplace(Buf buf, int dest, int source) {
        return isendrecvReplace(buf, dest, 0, source, ANY_TAG);
    }

    /// Begins [#sendrecvReplace(Buf, int, int, int, int)]: what is in `buf` now is copied and sent. Local;
    /// otherwise as [#isendrecv(Buf, int, int, Buf, int, int)]. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#isend(Buf, int, int)] and [#irecv(Buf, int, int)]
    Request isendrecvReplace(Buf buf, int dest, int sendTag, int source, int recvTag);

    // ---- persistent and partitioned messages, MPI 4.1, section 3.9 and chapter 4

    /// Describes a send in standard mode that is to be started many times: each start sends what is in `buf`
    /// then. Nothing is sent yet. Local. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    PersistentRequest sendInit(Buf buf, int dest, int tag);

    /// As [#sendInit], in synchronous mode; see [#ssend(Buf, int, int)]. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    PersistentRequest ssendInit(Buf buf, int dest, int tag);

    /// As [#sendInit], in buffered mode; see [#bsend(Buf, int, int)]. A start completes it, and throws what a
    /// `bsend` throws. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    PersistentRequest bsendInit(Buf buf, int dest, int tag);

    /// As [#sendInit], in ready mode; see [#rsend(Buf, int, int)]. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    PersistentRequest rsendInit(Buf buf, int dest, int tag);

    /// Describes a receive that is to be started many times, each time into `buf`. Local. MPI 4.1, section
    /// 3.9.
    ///
    /// @throws MpiException as [#irecv(Buf, int, int)]
    PersistentRequest recvInit(Buf buf, int source, int tag);

    /// Describes a message that will be sent in `partitions` parts of equal length, each as soon as
    /// [PartitionedSend#pready] says so, many times. Nothing is sent yet. Local. MPI 4.1, section 4.2.1.
    ///
    /// The n-th `psendInit` to a rank with a tag belongs to the n-th [#precvInit] there, from this rank with
    /// this tag, whatever is started first; with other messages it has nothing to do. Both sides pass as much
    /// data of the same type, and may divide it differently.
    ///
    /// @throws MpiException `ERR_ARG` when `partitions` is not positive; `ERR_COUNT` when the buffer's
    ///     elements are no multiple of it; `ERR_BUFFER` when it is not contiguous; `ERR_RANK`,
    ///     `ERR_TAG`
    PartitionedSend psendInit(Buf buf, int partitions, int dest, int tag);

    /// Describes the receive of a message that [#psendInit] describes; `source` and `tag` are no wildcards.
    /// Local. MPI 4.1, section 4.2.1.
    ///
    /// @throws MpiException as [#psendInit]; `ERR_RANK` and `ERR_TAG` for wildcards. The request fails with
    ///     `ERR_MISMATCH`, at its start or its end, when the sender passed another amount of data
    PartitionedReceive precvInit(Buf buf, int partitions, int source, int tag);

    // ---- objects

    /// As [#sendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    void sendObject(@Nullable Object value, int dest);

    /// Sends a value in standard mode. Blocking: returns when the value may be changed again, which may be
    /// before or after it was received. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException `ERR_TYPE` when something in it is no value, with the way to it; `ERR_RANK`,
    ///     `ERR_TAG`: nothing was sent
    void sendObject(@Nullable Object value, int dest, int tag);

    /// As [#ssendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#ssendObject(Object, int, int)]
    default void ssendObject(@Nullable Object value, int dest) {
        ssendObject(value, dest, 0);
    }

    /// As [#sendObject(Object, int, int)], in synchronous mode: returns only when the receiver has begun to
    /// receive it. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    void ssendObject(@Nullable Object value, int dest, int tag);

    /// As [#bsendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#bsendObject(Object, int, int)]
    default void bsendObject(@Nullable Object value, int dest) {
        bsendObject(value, dest, 0);
    }

    /// As [#sendObject(Object, int, int)], in buffered mode: local, returns at once, whatever the receiver
    /// does; see [#bsend(Buf, int, int)]. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]; `ERR_NO_MEM`, `ERR_BUFFER` as
    ///     [#bsend(Buf, int, int)]
    void bsendObject(@Nullable Object value, int dest, int tag);

    /// As [#isendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#isendObject(Object, int, int)]
    default Request isendObject(@Nullable Object value, int dest) {
        return isendObject(value, dest, 0);
    }

    /// Begins [#sendObject(Object, int, int)] and returns its request; the value must not be changed until
    /// that is complete, because its large arrays are read only then. Local; returns immediately. MPI 4.1,
    /// section 3.7.2.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    Request isendObject(@Nullable Object value, int dest, int tag);

    /// As [#issendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#issendObject(Object, int, int)]
    default Request issendObject(@Nullable Object value, int dest) {
        return issendObject(value, dest, 0);
    }

    /// As [#isendObject(Object, int, int)], in synchronous mode: complete only when the receiver has begun to
    /// receive it. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    Request issendObject(@Nullable Object value, int dest, int tag);

    /// As [#recvObject(Class, int, int)], from anybody and with any tag.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    <T> @Nullable T recvObject(Class<T> type);

    /// As [#recvObject(Class, int, int)], with any tag.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    <T> @Nullable T recvObject(Class<T> type, int source);

    /// Receives a value that was sent as an object. Null when null was sent, and from [#PROC_NULL].
    /// [#recvObjectWithStatus(Class, int, int)] returns the sender and the tag, too. Blocking: waits for a
    /// message. MPI 4.1, section 3.2.4.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` when `source` or `tag` is neither one nor a wildcard. Of
    ///     the message, which is lost then while everything else goes on: `ERR_TYPE` when the value is no
    ///     `type`, or the message holds no object; `ERR_NO_MEM` when there is no memory for it
    <T> @Nullable T recvObject(Class<T> type, int source, int tag);

    /// As [#recvObject(Class)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    <T> @Nullable T recvObject(ObjectType<T> type);

    /// As [#recvObject(Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    <T> @Nullable T recvObject(ObjectType<T> type, int source);

    /// As [#recvObject(Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    <T> @Nullable T recvObject(ObjectType<T> type, int source, int tag);

    /// As [#recvObjectWithStatus(Class, int, int)], from anybody and with any tag.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    default <T> Received<T> recvObjectWithStatus(Class<T> type) {
        return recvObjectWithStatus(type, ANY_SOURCE, ANY_TAG);
    }

    /// As [#recvObjectWithStatus(Class, int, int)], with any tag.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    default <T> Received<T> recvObjectWithStatus(Class<T> type, int source) {
        return recvObjectWithStatus(type, source, ANY_TAG);
    }

    /// As [#recvObject(Class, int, int)], with the status of the message: who sent it, and with which tag.
    /// MPI 4.1, section 3.2.5.
    ///
    ///     Received<Task> r = world.recvObjectWithStatus(Task.class);
    ///     world.sendObject(run(r.object()), r.source());
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    default <T> Received<T> recvObjectWithStatus(Class<T> type, int source, int tag) {
        return recvObjectWithStatus(ObjectType.of(type), source, tag);
    }

    /// As [#recvObjectWithStatus(Class)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    default <T> Received<T> recvObjectWithStatus(ObjectType<T> type) {
        return recvObjectWithStatus(type, ANY_SOURCE, ANY_TAG);
    }

    /// As [#recvObjectWithStatus(Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    default <T> Received<T> recvObjectWithStatus(ObjectType<T> type, int source) {
        return recvObjectWithStatus(type, source, ANY_TAG);
    }

    /// As [#recvObjectWithStatus(Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    <T> Received<T> recvObjectWithStatus(ObjectType<T> type, int source, int tag);

    /// As [#irecvObject(Class, int, int)], from anybody and with any tag.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    default <T> ObjectRequest<T> irecvObject(Class<T> type) {
        return irecvObject(type, ANY_SOURCE, ANY_TAG);
    }

    /// As [#irecvObject(Class, int, int)], with any tag.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    default <T> ObjectRequest<T> irecvObject(Class<T> type, int source) {
        return irecvObject(type, source, ANY_TAG);
    }

    /// Begins [#recvObject(Class, int, int)] and returns its request, which has the object and the status.
    /// Local; returns immediately. MPI 4.1, section 3.7.2.
    ///
    ///     ObjectRequest<Task> r = world.irecvObject(Task.class);
    ///     …
    ///     Task task = r.awaitObject();
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` when `source` or `tag` is neither one nor a wildcard;
    ///     errors of the message come out of the request
    default <T> ObjectRequest<T> irecvObject(Class<T> type, int source, int tag) {
        return irecvObject(ObjectType.of(type), source, tag);
    }

    /// As [#irecvObject(Class)], for a type with type parameters.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    default <T> ObjectRequest<T> irecvObject(ObjectType<T> type) {
        return irecvObject(type, ANY_SOURCE, ANY_TAG);
    }

    /// As [#irecvObject(Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    default <T> ObjectRequest<T> irecvObject(ObjectType<T> type, int source) {
        return irecvObject(type, source, ANY_TAG);
    }

    /// As [#irecvObject(Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    <T> ObjectRequest<T> irecvObject(ObjectType<T> type, int source, int tag);

    /// As [#sendrecvObject(Object, int, int, Class, int, int)], sending with tag 0 and receiving with any.
    ///
    /// @throws MpiException as [#sendrecvObject(Object, int, int, Class, int, int)]
    default <T> @Nullable T sendrecvObject(@Nullable Object value, int dest, Class<T> type, int source) {
        return sendrecvObject(value, dest, 0, type, source, ANY_TAG);
    }

    /// Sends a value and receives one at the same time, so that a ring or an exchange cannot block. From
    /// [#PROC_NULL] comes null. Blocking. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)] and [#recvObject(Class, int, int)]
    default <T> @Nullable T sendrecvObject(
            @Nullable Object value, int dest, int sendTag, Class<T> type, int source, int recvTag) {
        return sendrecvObject(value, dest, sendTag, ObjectType.of(type), source, recvTag);
    }

    /// As [#sendrecvObject(Object, int, Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#sendrecvObject(Object, int, int, Class, int, int)]
    default <T> @Nullable T sendrecvObject(@Nullable Object value, int dest, ObjectType<T> type, int source) {
        return sendrecvObject(value, dest, 0, type, source, ANY_TAG);
    }

    /// As [#sendrecvObject(Object, int, int, Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#sendrecvObject(Object, int, int, Class, int, int)]
    <T> @Nullable T sendrecvObject(
            @Nullable Object value, int dest, int sendTag, ObjectType<T> type, int source, int recvTag);

    /// Returns the value that `root` passes on every rank; what the others pass is not looked at. The root
    /// gets its own back. Small objects cost one broadcast, others one for the length, one for the object and
    /// one for each array outside. Collective. MPI 4.1, section 6.4.
    ///
    ///     Map<String, Integer> settings = world.bcastObject(me == 0 ? read() : null, 0);
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_TYPE` at a rank whose value cannot be
    ///     sent: the other ranks wait then
    <T extends @Nullable Object> T bcastObject(T value, int root);

    /// As [#bcastObject(Object, int)], and looks whether what comes is a `type`.
    ///
    /// @throws MpiException as [#bcastObject(Object, int)]; `ERR_TYPE` when the value is no `type`
    default <T> @Nullable T bcastObject(Class<T> type, @Nullable T value, int root) {
        return bcastObject(ObjectType.of(type), value, root);
    }

    /// As [#bcastObject(Class, Object, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#bcastObject(Class, Object, int)]
    <T> @Nullable T bcastObject(ObjectType<T> type, @Nullable T value, int root);

    /// Gives rank r the r-th of the values that `root` passes, and returns this rank's; the others pass null.
    /// Collective. MPI 4.1, section 6.6.
    ///
    /// @throws MpiException `ERR_COUNT` at the root when there are not `size()` values, `ERR_TYPE` there when
    ///     one cannot be sent: nothing was sent, and the other ranks wait; `ERR_ROOT` when `root` is no rank
    <T extends @Nullable Object> T scatterObject(@Nullable List<? extends T> values, int root);

    /// Brings every rank's value to `root`: a list in rank order, which is the caller's to change; null on
    /// the other ranks. Lengths first, then the objects, so a gather each. Collective. MPI 4.1, section 6.5.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_TYPE` at a rank whose value cannot be
    ///     sent
    <T extends @Nullable Object> @Nullable List<T> gatherObject(T value, int root);

    /// Brings every rank's value to every rank: a list in rank order, which is the caller's to change.
    /// Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_TYPE` at a rank whose value cannot be sent
    <T extends @Nullable Object> List<T> allgatherObject(T value);

    /// Gives rank r the r-th of `values`, and returns what the ranks had for this one, in rank order.
    /// Collective. MPI 4.1, section 6.8.
    ///
    /// @throws MpiException `ERR_COUNT` when there are not `size()` values, `ERR_TYPE` when one cannot be
    ///     sent: nothing was sent, and the other ranks wait
    <T extends @Nullable Object> List<T> alltoallObject(List<? extends T> values);

    /// Combines the values of all ranks from rank 0 on, `op(op(v0, v1), v2)` and so forth, at `root`; null on
    /// the others. `op` may be anything: it is applied at the root alone, to copies, in this order. Costs a
    /// [#gatherObject]. Collective. MPI 4.1, section 6.9.1.
    ///
    /// @throws MpiException as [#gatherObject]; what `op` throws, at the root
    <T extends @Nullable Object> @Nullable T reduceObject(T value, int root, BinaryOperator<T> op);

    /// Combines the values of all ranks as [#reduceObject] does, on every rank: each rank receives all values
    /// and combines them, so an exception of `op` affects only that rank, and no rank waits for the `op` of
    /// another rank. Costs an [#allgatherObject]. Collective. MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException as [#allgatherObject]; what `op` throws, on that rank
    <T extends @Nullable Object> T allreduceObject(T value, BinaryOperator<T> op);

    // ---- blocking collective operations, MPI 4.1, sections 6.3 to 6.11

    /// Waits until every rank has called it. Collective, blocking. `MPI_Barrier`, MPI 4.1, section 6.3.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    void barrier();

    /// Gives every rank the data that is in `buf` at `root`. All ranks pass as many elements of the same
    /// type. Collective: returns when this rank has the data, at the root when `buf` may be used again.
    /// `MPI_Bcast`, MPI 4.1, section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_BUFFER` when a buffer is missing, cannot
    ///     be received into, or is `IN_PLACE` where that is nothing; `ERR_TYPE` when the type has some bytes
    ///     twice where data is received; `ERR_MISMATCH`, which ends the job, when ranks pass another root or
    ///     amount
    void bcast(Buf buf, int root);

    /// Brings every rank's `send` to `root`, in rank order into `recv`; the others pass `NONE` there. Without
    /// blocks, all ranks send `recv.count() / size()` elements; with [Buf#blocks(int...)] at the root, rank r
    /// sends `counts[r]`. At the root `send` may be `IN_PLACE`. Collective. `MPI_Gather` and `MPI_Gatherv`,
    /// MPI 4.1, section 6.5.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_BUFFER` when a buffer is missing, cannot
    ///     be received into, or is `IN_PLACE` where that is nothing; `ERR_COUNT` when the elements or blocks
    ///     do not divide among the ranks, or this rank's own block is of another length; `ERR_TYPE` when send
    ///     and receive buffer of this rank differ in type
    void gather(Buf send, Buf recv, int root);

    /// Gives rank r block r of `send` at `root`, into its `recv`; the others pass `NONE` for `send`. Without
    /// blocks, all ranks receive `send.count() / size()` elements; with [Buf#blocks(int...)] at the root,
    /// rank r receives `counts[r]`. At the root `recv` may be `IN_PLACE`: its block stays in `send`.
    /// Collective. `MPI_Scatter` and `MPI_Scatterv`, MPI 4.1, section 6.6.
    ///
    /// @throws MpiException as [#gather(Buf, Buf, int)]
    void scatter(Buf send, Buf recv, int root);

    /// Brings every rank's `send` to every rank, in rank order into `recv`. With blocks, all ranks pass the
    /// same ones. Collective. `MPI_Allgather` and `MPI_Allgatherv`, MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_BUFFER` when a buffer is missing, cannot be received into, or is `IN_PLACE`
    ///     where that is nothing; `ERR_COUNT` when the elements or blocks do not divide among the ranks, or
    ///     this rank's own block is of another length; `ERR_TYPE` when send and receive buffer of this rank
    ///     differ in type
    void allgather(Buf send, Buf recv);

    /// Gives rank r block r of `send`, and gets a block from every rank, in rank order into `recv`. Without
    /// blocks, all blocks of all ranks are equally long; otherwise all ranks describe both buffers with
    /// [Buf#blocks(int...)], and what r sends to s is as long as what s receives from r. Collective.
    /// `MPI_Alltoall` and `MPI_Alltoallv`, MPI 4.1, section 6.8.
    ///
    /// @throws MpiException `ERR_BUFFER` when a buffer is missing, cannot be received into, or is `IN_PLACE`
    ///     where that is nothing; `ERR_COUNT` when the elements or blocks do not divide among the ranks, or
    ///     this rank's own block is of another length; `ERR_TYPE` when send and receive buffer of this rank
    ///     differ in type; `ERR_ARG` when only one of both has blocks
    void alltoall(Buf send, Buf recv);

    /// Gives rank r the buffer `send[r]`, and gets one from every rank r into `recv[r]`. Each has its own
    /// type and length; what r sends to s has the type signature of what s receives from r. [Buf#NONE] is
    /// nothing. Collective. `MPI_Alltoallw`, MPI 4.1, section 6.8.
    ///
    /// @throws MpiException `ERR_COUNT` when there is not one buffer for each rank; `ERR_BUFFER` when one
    ///     cannot be used so; `ERR_TYPE`, `ERR_COUNT` when what this rank sends to itself is not what it
    ///     receives from itself
    void alltoallw(Buf[] send, Buf[] recv);

    /// Combines `send` element by element over all ranks; `root` gets the result in `recv`, which the others
    /// pass as `NONE`. All ranks pass as many elements of the same type, and the same `op` and `root`.
    /// Collective. `MPI_Reduce`, MPI 4.1, section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for the
    ///     type; `ERR_TYPE` when the types of both buffers differ; `ERR_BUFFER` when `recv` is shorter than
    ///     `send`, or a buffer is missing or cannot be received into
    void reduce(Buf send, Buf recv, Op op, int root);

    /// Combines `send` element by element over all ranks; every rank gets the same result in `recv`. All
    /// ranks pass as many elements of the same type, and the same `op`; `recv` may be longer. The buffers do
    /// not overlap. Collective: on return `recv` is complete on this rank; others may still be inside the
    /// call. `MPI_Allreduce`, MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for the type; `ERR_TYPE` when the types of both
    ///     buffers differ; `ERR_BUFFER` when `recv` is shorter than `send`, or a buffer is missing or cannot
    ///     be received into
    void allreduce(Buf send, Buf recv, Op op);

    /// Combines `send`, which has a block of `send.count() / size()` elements for each rank, element by
    /// element over all ranks; rank r gets block r of the result in `recv`. Collective.
    /// `MPI_Reduce_scatter_block`, MPI 4.1, section 6.10.1.
    ///
    /// @throws MpiException `ERR_COUNT` when the elements do not divide among the ranks, or `send` has
    ///     blocks; `ERR_OP` when `op` is not defined for the type; `ERR_TYPE` when the types of both buffers
    ///     differ; `ERR_BUFFER` when `recv` is shorter than a block, or a buffer is missing or cannot be
    ///     received into
    void reduceScatterBlock(Buf send, Buf recv, Op op);

    /// Combines `send` element by element over all ranks; rank r gets block r of the result in `recv`. All
    /// ranks describe the operand with the same [Buf#blocks(int...)], one after the other. Collective.
    /// `MPI_Reduce_scatter`, MPI 4.1, section 6.10.2.
    ///
    /// @throws MpiException `ERR_COUNT` when there is not one block for each rank, or they are not
    ///     contiguous; `ERR_OP` when `op` is not defined for the type; `ERR_TYPE` when the types of both
    ///     buffers differ; `ERR_BUFFER` when `recv` is shorter than this rank's block, or a buffer is missing
    ///     or cannot be received into
    void reduceScatter(Buf send, Buf recv, Op op);

    // ---- collective operations on one value

    /// Returns the root's value on every rank; what the others pass is not looked at. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank
    double bcast(double value, int root);

    /// Returns the root's value on every rank; what the others pass is not looked at. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank
    float bcast(float value, int root);

    /// Returns the root's value on every rank; what the others pass is not looked at. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank
    long bcast(long value, int root);

    /// Returns the root's value on every rank; what the others pass is not looked at. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank
    int bcast(int value, int root);

    /// Returns the root's value on every rank; what the others pass is not looked at. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank
    boolean bcast(boolean value, int root);

    /// Returns every rank's value, in rank order, on every rank. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    double[] allgather(double value);

    /// Returns every rank's value, in rank order, on every rank. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    float[] allgather(float value);

    /// Returns every rank's value, in rank order, on every rank. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    long[] allgather(long value);

    /// Returns every rank's value, in rank order, on every rank. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    int[] allgather(int value);

    /// Returns every rank's value, in rank order, on every rank. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    boolean[] allgather(boolean value);

    /// Returns the combination of all ranks' values at the root; empty elsewhere. Collective. MPI 4.1,
    /// section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for `double`
    OptionalDouble reduce(double value, Op op, int root);

    /// Returns the combination of all ranks' values at the root; null elsewhere. Collective. MPI 4.1,
    /// section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for `float`
    @Nullable
    Float reduce(float value, Op op, int root);

    /// Returns the combination of all ranks' values at the root; empty elsewhere. Collective. MPI 4.1,
    /// section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for `long`
    OptionalLong reduce(long value, Op op, int root);

    /// Returns the combination of all ranks' values at the root; empty elsewhere. Collective. MPI 4.1,
    /// section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for `int`
    OptionalInt reduce(int value, Op op, int root);

    /// Returns the combination of all ranks' values at the root; null elsewhere. Collective. MPI 4.1,
    /// section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for
    ///     `boolean`
    @Nullable
    Boolean reduce(boolean value, Op op, int root);

    /// Returns the combination of all ranks' values on every rank, with the same bits. Collective. MPI 4.1,
    /// section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `double`
    double allreduce(double value, Op op);

    /// Returns the combination of all ranks' values on every rank, with the same bits. Collective. MPI 4.1,
    /// section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `float`
    float allreduce(float value, Op op);

    /// Returns the combination of all ranks' values on every rank, with the same bits. Collective. MPI 4.1,
    /// section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `long`
    long allreduce(long value, Op op);

    /// Returns the combination of all ranks' values on every rank, with the same bits. Collective. MPI 4.1,
    /// section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `int`
    int allreduce(int value, Op op);

    /// Returns the combination of all ranks' values on every rank, with the same bits. Collective. MPI 4.1,
    /// section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `boolean`
    boolean allreduce(boolean value, Op op);

    /// Returns the largest value of all ranks with its index, usually a rank or a position; of equal values,
    /// the smallest index. An allreduce with [Op#MAXLOC]. Collective. MPI 4.1, section 6.9.4.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    DoubleInt maxLoc(double value, int index);

    /// As [#maxLoc(double, int)], for a `long`. Collective. MPI 4.1, section 6.9.4.
    ///
    /// @throws MpiException as [#maxLoc(double, int)]
    LongInt maxLoc(long value, int index);

    /// Returns the smallest value of all ranks with its index, usually a rank or a position; of equal values,
    /// the smallest index. An allreduce with [Op#MINLOC]. Collective. MPI 4.1, section 6.9.4.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    DoubleInt minLoc(double value, int index);

    /// As [#minLoc(double, int)], for a `long`. Collective. MPI 4.1, section 6.9.4.
    ///
    /// @throws MpiException as [#minLoc(double, int)]
    LongInt minLoc(long value, int index);

    // ---- nonblocking collective operations, MPI 4.1, section 6.12

    /// Begins [#barrier()]. Collective; returns immediately. MPI 4.1, section 6.12.1.
    ///
    /// @throws MpiException as [#barrier()], for an argument; a later failure is thrown by the request
    Request ibarrier();

    /// Begins [#bcast(Buf, int)]. Collective; returns immediately. MPI 4.1, section 6.12.2.
    ///
    /// @throws MpiException as [#bcast(Buf, int)], for an argument; a later failure is thrown by the request
    Request ibcast(Buf buf, int root);

    /// Begins [#gather(Buf, Buf, int)]. Collective; returns immediately. MPI 4.1, section 6.12.3.
    ///
    /// @throws MpiException as [#gather(Buf, Buf, int)], for an argument; a later failure is thrown by the
    ///     request
    Request igather(Buf send, Buf recv, int root);

    /// Begins [#scatter(Buf, Buf, int)]. Collective; returns immediately. MPI 4.1, section 6.12.4.
    ///
    /// @throws MpiException as [#scatter(Buf, Buf, int)], for an argument; a later failure is thrown by the
    ///     request
    Request iscatter(Buf send, Buf recv, int root);

    /// Begins [#allgather(Buf, Buf)]. Collective; returns immediately. MPI 4.1, section 6.12.5.
    ///
    /// @throws MpiException as [#allgather(Buf, Buf)], for an argument; a later failure is thrown by the
    ///     request
    Request iallgather(Buf send, Buf recv);

    /// Begins [#alltoall(Buf, Buf)]. Collective; returns immediately. MPI 4.1, section 6.12.6.
    ///
    /// @throws MpiException as [#alltoall(Buf, Buf)], for an argument; a later failure is thrown by the
    ///     request
    Request ialltoall(Buf send, Buf recv);

    /// Begins [#alltoallw(Buf\[\], Buf\[\])]. Collective; returns immediately. MPI 4.1, section 6.12.6.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\], Buf\[\])], for an argument; a later failure is thrown by
    ///     the request
    Request ialltoallw(Buf[] send, Buf[] recv);

    /// Begins [#reduce(Buf, Buf, Op, int)]. Collective; returns immediately. MPI 4.1, section 6.12.7.
    ///
    /// @throws MpiException as [#reduce(Buf, Buf, Op, int)], for an argument; a later failure is thrown by
    ///     the request
    Request ireduce(Buf send, Buf recv, Op op, int root);

    /// Begins [#allreduce(Buf, Buf, Op)]. Collective; returns immediately. MPI 4.1, section 6.12.8.
    ///
    /// @throws MpiException as [#allreduce(Buf, Buf, Op)], for an argument; a later failure is thrown by the
    ///     request
    Request iallreduce(Buf send, Buf recv, Op op);

    /// Begins [#reduceScatterBlock(Buf, Buf, Op)]. Collective; returns immediately. MPI 4.1, section 6.12.9.
    ///
    /// @throws MpiException as [#reduceScatterBlock(Buf, Buf, Op)], for an argument; what fails later comes
    ///     out of the request
    Request ireduceScatterBlock(Buf send, Buf recv, Op op);

    /// Begins [#reduceScatter(Buf, Buf, Op)]. Collective; returns immediately. MPI 4.1, section 6.12.10.
    ///
    /// @throws MpiException as [#reduceScatter(Buf, Buf, Op)], for an argument; a later failure is thrown by
    ///     the request
    Request ireduceScatter(Buf send, Buf recv, Op op);

    // ---- persistent collective operations, MPI 4.1, section 6.13

    /// Prepares [#barrier()]. Collective, blocking. MPI 4.1, section 6.13.1.
    ///
    /// @throws MpiException as [#barrier()], for an argument; a later failure is thrown by the request
    PersistentRequest barrierInit();

    /// Prepares [#bcast(Buf, int)]. Collective, blocking. MPI 4.1, section 6.13.2.
    ///
    /// @throws MpiException as [#bcast(Buf, int)], for an argument; a later failure is thrown by the request
    PersistentRequest bcastInit(Buf buf, int root);

    /// Prepares [#gather(Buf, Buf, int)]. Collective, blocking. MPI 4.1, section 6.13.3.
    ///
    /// @throws MpiException as [#gather(Buf, Buf, int)], for an argument; a later failure is thrown by the
    ///     request
    PersistentRequest gatherInit(Buf send, Buf recv, int root);

    /// Prepares [#scatter(Buf, Buf, int)]. Collective, blocking. MPI 4.1, section 6.13.4.
    ///
    /// @throws MpiException as [#scatter(Buf, Buf, int)], for an argument; a later failure is thrown by the
    ///     request
    PersistentRequest scatterInit(Buf send, Buf recv, int root);

    /// Prepares [#allgather(Buf, Buf)]. Collective, blocking. MPI 4.1, section 6.13.5.
    ///
    /// @throws MpiException as [#allgather(Buf, Buf)], for an argument; a later failure is thrown by the
    ///     request
    PersistentRequest allgatherInit(Buf send, Buf recv);

    /// Prepares [#alltoall(Buf, Buf)]. Collective, blocking. MPI 4.1, section 6.13.6.
    ///
    /// @throws MpiException as [#alltoall(Buf, Buf)], for an argument; a later failure is thrown by the
    ///     request
    PersistentRequest alltoallInit(Buf send, Buf recv);

    /// Prepares [#alltoallw(Buf\[\], Buf\[\])]. Collective, blocking. MPI 4.1, section 6.13.6.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\], Buf\[\])], for an argument; a later failure is thrown by
    ///     the request
    PersistentRequest alltoallwInit(Buf[] send, Buf[] recv);

    /// Prepares [#reduce(Buf, Buf, Op, int)]. Collective, blocking. MPI 4.1, section 6.13.7.
    ///
    /// @throws MpiException as [#reduce(Buf, Buf, Op, int)], for an argument; a later failure is thrown by
    ///     the request
    PersistentRequest reduceInit(Buf send, Buf recv, Op op, int root);

    /// Prepares [#allreduce(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.8.
    ///
    /// @throws MpiException as [#allreduce(Buf, Buf, Op)], for an argument; a later failure is thrown by the
    ///     request
    PersistentRequest allreduceInit(Buf send, Buf recv, Op op);

    /// Prepares [#reduceScatterBlock(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.9.
    ///
    /// @throws MpiException as [#reduceScatterBlock(Buf, Buf, Op)], for an argument; what fails later comes
    ///     out of the request
    PersistentRequest reduceScatterBlockInit(Buf send, Buf recv, Op op);

    /// Prepares [#reduceScatter(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.10.
    ///
    /// @throws MpiException as [#reduceScatter(Buf, Buf, Op)], for an argument; a later failure is thrown by
    ///     the request
    PersistentRequest reduceScatterInit(Buf send, Buf recv, Op op);
}
