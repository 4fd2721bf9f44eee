package org.tutti.device.spi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Datatype;

/// Operations between the devices of several ranks, which a library does in the order of streams. All
/// ranks call the same operations in the same order. A call returns when the operation is given to the
/// stream; its buffers are in use until the stream has done it. Counts are elements.
///
/// A rank that is gone, or that does not call what the others call, ends the operation and the
/// communicator after a time: then [#await] and every later call throw a fault of `PEER_FAILED`.
public interface DeviceCommunicator extends AutoCloseable {
    /// What libraries combine.
    enum Reduction {
        SUM,
        PROD,
        MAX,
        MIN,
        AVG
    }

    /// What elements are.
    enum Element {
        INT8(1),
        UINT8(1),
        INT32(4),
        INT64(8),
        FLOAT16(2),
        FLOAT32(4),
        FLOAT64(8),
        BFLOAT16(2);

        private final int bytes;

        Element(int bytes) {
            this.bytes = bytes;
        }

        public int bytes() {
            return bytes;
        }

        /// The elements of a datatype; null for a datatype that libraries do not combine.
        public static @Nullable Element of(Datatype type) {
            if (type == Datatype.BYTE) return INT8;
            if (type == Datatype.INT) return INT32;
            if (type == Datatype.LONG) return INT64;
            if (type == Datatype.FLOAT) return FLOAT32;
            if (type == Datatype.DOUBLE) return FLOAT64;
            return null;
        }
    }

    int rank();

    int size();

    /// What does the work, with its version.
    String library();

    void allReduce(long stream, long send, long receive, long count, Element element, Reduction reduction);

    /// `receive` is used on `root` only.
    void reduce(long stream, long send, long receive, long count, Element element, Reduction reduction, int root);

    void broadcast(long stream, long buffer, long count, Element element, int root);

    /// @param count of what each rank sends
    void allGather(long stream, long send, long receive, long count, Element element);

    /// @param count of what each rank receives
    void reduceScatter(long stream, long send, long receive, long count, Element element, Reduction reduction);

    void send(long stream, long buffer, long count, Element element, int peer);

    void receive(long stream, long buffer, long count, Element element, int peer);

    /// Runs the calls of this communicator that `operations` makes, all on `stream`, as one operation:
    /// sends and receives in it wait for each other in no order.
    void group(long stream, Runnable operations);

    /// What ended this communicator, when something did: since then, data that it was to bring may be missing.
    @Nullable
    DeviceFault failure();

    /// Returns when the stream has done what it was given.
    ///
    /// @throws DeviceFault `PEER_FAILED` with the operation and the ranks, when that did not end by
    ///     itself
    void await(long stream);

    /// A communicator of those ranks that give the same `color`, in the order of their keys. Collective.
    /// Returns null to ranks that give a negative one.
    @Nullable
    DeviceCommunicator split(int color, int key);

    /// Ends what runs, and the communicator, without waiting for other ranks.
    void abort();

    /// Collective; when all that was given to streams has ended.
    @Override
    void close();
}
