package org.tutti.device;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// A path on which [DeviceComm] transfers data between devices. The caller has checked the arguments.
/// `toString` returns the name that reports use.
interface DeviceWay {
    /// Returns whether elements of this type are supported, and, unless `op` is null, whether `op` can combine
    /// such elements.
    boolean supports(Datatype type, @Nullable Op op);

    void allreduce(DeviceBuffer buffer, Op op, DeviceStream stream);

    void reduce(DeviceBuffer buffer, Op op, int root, DeviceStream stream);

    void bcast(DeviceBuffer buffer, int root, DeviceStream stream);

    void allgather(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream);

    void reduceScatterBlock(DeviceBuffer send, DeviceBuffer recv, Op op, DeviceStream stream);

    void alltoall(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream);

    void exchange(List<Exchange.Message> messages, DeviceStream stream);

    /// Closes the path. Collective.
    void close();

    /// Closes the path on this rank only. No rank is in a call, except after [DeviceComm#abort].
    void abandon();
}
