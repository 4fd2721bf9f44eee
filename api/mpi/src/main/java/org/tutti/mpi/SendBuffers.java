package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// Determines the buffer for messages in buffered mode. A communicator uses its attached buffer if it has one,
/// otherwise the buffer of the rank. A rank uses its attached buffer if it has one, otherwise memory that Tutti
/// allocates. MPI 4.1, section 3.6.
final class SendBuffers {
    private final Mpi mpi;
    private final CommPort port;
    private final boolean ofRank;
    private volatile @Nullable AttachedBuffer attached;

    /// @param ofRank whether the buffer is for the rank, rather than for a communicator
    SendBuffers(Mpi mpi, CommPort port, boolean ofRank) {
        this.mpi = mpi;
        this.port = port;
        this.ofRank = ofRank;
    }

    void send(String operation, Buf buf, int dest, int tag) {
        target().send(operation, port, buf, dest, tag);
    }

    MessageBuffer target() {
        AttachedBuffer own = attached;
        if (own != null) return own;
        return ofRank ? mpi.buffered() : mpi.sendBuffers().target();
    }

    private String owner() {
        return ofRank ? "this rank" : port.name();
    }

    void attach(long bytes) {
        if (bytes < 0) throw refused(ErrorClass.ERR_ARG, "attachBuffer", "bytes=" + bytes + " is negative");
        MemorySegment segment;
        try {
            segment = Arena.ofAuto().allocate(bytes, 64);
        } catch (OutOfMemoryError e) {
            throw refused(ErrorClass.ERR_NO_MEM, "attachBuffer", "not enough memory for bytes=" + bytes);
        }
        attach(segment);
    }

    synchronized void attach(MemorySegment segment) {
        if (segment == null) throw refused(ErrorClass.ERR_BUFFER, "attachBuffer", "the buffer is null");
        if (segment.isReadOnly()) throw refused(ErrorClass.ERR_BUFFER, "attachBuffer", "the buffer is read-only");
        AttachedBuffer old = attached;
        if (old != null) {
            throw refused(
                    ErrorClass.ERR_BUFFER,
                    "attachBuffer",
                    "a buffer of " + old.segment().byteSize() + " bytes is attached to " + owner()
                            + " already; call detachBuffer() first");
        }
        AttachedBuffer made = new AttachedBuffer(mpi.engine("attachBuffer"), segment, owner());
        mpi.attached().removeIf(AttachedBuffer::isUnused);
        mpi.attached().add(made);
        attached = made;
    }

    synchronized MemorySegment detach() {
        AttachedBuffer old = attached;
        if (old == null) {
            throw refused(ErrorClass.ERR_BUFFER, "detachBuffer", "no buffer is attached to " + owner());
        }
        attached = null;
        old.flush();
        mpi.attached().remove(old);
        return old.segment();
    }

    /// Called when the communicator is closed. A buffer that still contains messages remains in [Mpi#attached],
    /// so that [Mpi#flushBuffers] waits for these messages, and [Mpi#close] reports them. A buffer whose message
    /// has failed also remains, so that [Mpi#flushBuffers] throws the failure.
    synchronized void close() {
        AttachedBuffer old = attached;
        attached = null;
        if (old == null) return;
        old.retire();
        if (old.isUnused()) mpi.attached().remove(old);
    }

    Request iflush(String operation) {
        MessageBuffer buffer = target();
        long count = buffer.sent();
        return new LocalRequest(mpi, operation, port, Buf.NONE, new LocalRequest.Work() {
            @Override
            public boolean isDone() {
                return !buffer.holdsOfFirst(count);
            }

            @Override
            public void await() {
                buffer.flush();
            }
        });
    }

    private MpiException refused(ErrorClass errorClass, String operation, String why) {
        return MpiException.argument(errorClass, operation, why, port);
    }
}
