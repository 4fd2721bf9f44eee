package org.tutti.device;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// A way on which data goes from device to device, for [DeviceComm], which has checked arguments. Its name for
/// a report is its `toString`.
interface DeviceWay {
    /// Whether it moves elements of this type, and combines them so, if `op` is not null.
    boolean knows(Datatype type, @Nullable Op op);

    void allreduce(DeviceBuffer buffer, Op op, DeviceStream stream);

    void reduce(DeviceBuffer buffer, Op op, int root, DeviceStream stream);

    void bcast(DeviceBuffer buffer, int root, DeviceStream stream);

    void allgather(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream);

    void reduceScatterBlock(DeviceBuffer send, DeviceBuffer recv, Op op, DeviceStream stream);

    void alltoall(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream);

    void exchange(List<Exchange.Message> messages, DeviceStream stream);

    /// Collective.
    void close();

    /// Ends it on this rank alone, when no rank is in a call.
    void abandon();
}
