package org.tutti.device;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.Request;

/// A path that uses MPI's operations and copies through the host. An operation is complete when the call
/// returns.
record StagedWay(Comm comm) implements DeviceWay {
    @Override
    public boolean supports(Datatype type, @Nullable Op op) {
        return true;
    }

    @Override
    public void allreduce(DeviceBuffer buffer, Op op, DeviceStream stream) {
        comm.allreduce(buf(buffer), op);
    }

    @Override
    public void reduce(DeviceBuffer buffer, Op op, int root, DeviceStream stream) {
        comm.reduce(buf(buffer), op, root);
    }

    @Override
    public void bcast(DeviceBuffer buffer, int root, DeviceStream stream) {
        comm.bcast(buf(buffer), root);
    }

    @Override
    public void allgather(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream) {
        comm.allgather(buf(send), buf(recv));
    }

    @Override
    public void reduceScatterBlock(DeviceBuffer send, DeviceBuffer recv, Op op, DeviceStream stream) {
        comm.reduceScatterBlock(buf(send), buf(recv), op);
    }

    @Override
    public void alltoall(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream) {
        comm.alltoall(buf(send), buf(recv));
    }

    @Override
    public void exchange(List<Exchange.Message> messages, DeviceStream stream) {
        List<Request> all = new ArrayList<>();
        for (Exchange.Message m : messages) if (!m.isSend()) all.add(comm.irecv(buf(m.buffer()), m.peer()));
        for (Exchange.Message m : messages) if (m.isSend()) all.add(comm.isend(buf(m.buffer()), m.peer()));
        all.forEach(Request::await);
    }

    @Override
    public void close() {}

    @Override
    public void abandon() {}

    @Override
    public String toString() {
        return "copies through the host";
    }
}
