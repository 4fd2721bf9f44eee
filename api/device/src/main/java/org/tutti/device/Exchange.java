package org.tutti.device;

import java.util.ArrayList;
import java.util.List;

/// The messages of one [DeviceComm#exchange].
public final class Exchange {
    record Message(boolean isSend, DeviceBuffer buffer, int peer) {}

    private final DeviceComm comm;
    private final List<Message> messages = new ArrayList<>();

    Exchange(DeviceComm comm) {
        this.comm = comm;
    }

    List<Message> messages() {
        return messages;
    }

    /// Sends the whole buffer.
    public void send(DeviceBuffer buffer, int to) {
        add(true, buffer, to);
    }

    /// Receives into the whole buffer. The message must have the same number of elements.
    public void recv(DeviceBuffer buffer, int from) {
        add(false, buffer, from);
    }

    private void add(boolean isSend, DeviceBuffer buffer, int peer) {
        comm.checkBuffer("exchange", buffer);
        comm.checkRank("exchange", isSend ? "to" : "from", peer);
        messages.add(new Message(isSend, buffer, peer));
    }
}
