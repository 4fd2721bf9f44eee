package org.tutti.shm;

import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Spawning;

/// Spawning: new processes map the segment of the spawning ranks, and get new process numbers and rank blocks
/// in this segment.
final class ShmSpawning implements Spawning {
    private static final String OPERATION = "spawn";

    private final Segment segment;
    private final ShmCommunicators communicators;
    private final Peers peers;
    private final Place place;
    private final @Nullable Invitation invitation;

    ShmSpawning(
            Segment segment,
            ShmCommunicators communicators,
            Peers peers,
            Place place,
            @Nullable Invitation invitation) {
        this.segment = segment;
        this.communicators = communicators;
        this.peers = peers;
        this.place = place;
        this.invitation = invitation;
    }

    @Override
    public String invite(int[] parents, int size) {
        String address = segment.address();
        if (address == null) {
            throw Fault.argument(
                    PredefinedErrorClass.ERR_SPAWN,
                    OPERATION,
                    "other processes cannot attach the memory of ranks in threads or, on this system, of a"
                            + " process without a launcher; start the program with tutti run",
                    null);
        }
        int first = segment.newProcesses(size, place.first() + place.size(), OPERATION);
        return new Invitation(first, size, communicators.newContext(), parents, address).text();
    }

    @Override
    public CommPort meet(String text) {
        Invitation invited = Invitation.of(text);
        int[] processes = invited.processes();
        int rank = 0;
        while (processes[rank] != place.process()) rank++;
        CommPort port = communicators.port(rank, processes, invited.context(), "PARENT");
        port.twoGroups(invited.parents().length);
        port.identify(invited.context());
        if (segment.isUnwatched(place.process())) peers.connected((ShmPort) port);
        return port;
    }

    @Override
    public void haveDied(String text) {
        Invitation invited = Invitation.of(text);
        for (int p = invited.first(); p < invited.first() + invited.size(); p++) segment.markDead(p);
    }

    @Override
    public @Nullable String invitation() {
        return invitation == null ? null : invitation.text();
    }
}
