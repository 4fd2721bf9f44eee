package org.tutti.mpi;

import org.tutti.mpi.object.ObjectCodec;
import org.tutti.spi.Activity;
import org.tutti.spi.Transfer;

/// An object that is being sent: keeps its bytes until they are.
final class ObjectSend extends Request {
    private final ObjectCodec codec;

    /// `send` has been started.
    ObjectSend(Mpi mpi, ObjectCodec codec, Transfer send) {
        super(mpi, Buf.NONE, Buf.NONE, send);
        this.codec = codec;
    }

    @Override
    void release(Activity a) {
        if (a.failure() == null) mpi.scratch().giveBack(codec);
        super.release(a);
    }

    @Override
    String shown() {
        return "object";
    }
}
