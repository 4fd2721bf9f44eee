package org.tutti.futures;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Message;

/// Transport of a pool over the pool's communicator.
record CommLink(Comm comm) implements PoolLink {
    private record Arrived(Message message) implements Answer {
        @Override
        public int source() {
            return message.status().source();
        }

        @Override
        public long bytes() {
            return message.status().sizeBytes();
        }

        @Override
        public Object @Nullable [] receive() {
            return message.recvObject(Object[].class);
        }
    }

    @Override
    public int size() {
        return comm.size();
    }

    @Override
    public int rank() {
        return comm.rank();
    }

    @Override
    public Pending send(Object message, int worker, int tag) {
        return comm.isendObject(message, worker, tag)::await;
    }

    @Override
    public @Nullable Answer poll(int worker) {
        Message message = comm.improbe(worker, Wire.ANSWER);
        return message == null ? null : new Arrived(message);
    }

    @Override
    public @Nullable Answer pollAny() {
        return poll(Comm.ANY_SOURCE);
    }

    @Override
    public Answer await() {
        return new Arrived(comm.mprobe(Comm.ANY_SOURCE, Wire.ANSWER));
    }
}
