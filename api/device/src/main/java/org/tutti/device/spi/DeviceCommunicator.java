package org.tutti.device.spi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Datatype;

/// Communication between the devices of several ranks, which a library performs in stream order. All ranks must
/// call the same operations in the same order. A call returns when the operation has been queued on the stream;
/// the buffers are in use until the stream has completed the operation. Counts are in elements.
///
/// If a rank terminates or does not call the operation, the operation and the communicator are aborted after a
/// timeout. Then [#await] and all later calls throw a fault with the reason `PEER_FAILED`.
public interface DeviceCommunicator extends AutoCloseable {
    /// The reductions of the libraries.
    enum Reduction {
        SUM,
        PROD,
        MAX,
        MIN,
        AVG
    }

    /// The element types of the libraries.
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

        /// Returns the element type of a datatype; null if libraries cannot combine the datatype.
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

    /// Returns the name and version of the library.
    String library();

    void allReduce(long stream, long send, long receive, long count, Element element, Reduction reduction);

    /// Combines the data of all ranks. `receive` is used only on `root`.
    void reduce(long stream, long send, long receive, long count, Element element, Reduction reduction, int root);

    void broadcast(long stream, long buffer, long count, Element element, int root);

    /// @param count the number of elements that each rank sends
    void allGather(long stream, long send, long receive, long count, Element element);

    /// @param count the number of elements that each rank receives
    void reduceScatter(long stream, long send, long receive, long count, Element element, Reduction reduction);

    void send(long stream, long buffer, long count, Element element, int peer);

    void receive(long stream, long buffer, long count, Element element, int peer);

    /// Runs the calls of this communicator in `operations`, which must all be on `stream`, as one operation, so
    /// that the order of sends and receives cannot cause a deadlock.
    void group(long stream, Runnable operations);

    /// Returns the failure for which this communicator was aborted; null if none has occurred. After an abort,
    /// received data may be incomplete.
    @Nullable
    DeviceFault failure();

    /// Waits until the stream has completed all queued work.
    ///
    /// @throws DeviceFault `PEER_FAILED`, with the operation and the ranks, if the operation was aborted
    void await(long stream);

    /// Creates a communicator of the ranks with the same `color`, ordered by key. Collective. Returns null on
    /// ranks with a negative color.
    @Nullable
    DeviceCommunicator split(int color, int key);

    /// Aborts running operations and the communicator, without waiting for other ranks.
    void abort();

    /// Closes the communicator. Collective; called after all queued work is complete.
    @Override
    void close();
}
