package org.tutti.shm;

import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.SharedNotes;
import org.tutti.spi.CommPort;
import org.tutti.spi.NameService;

/// Published names, stored in the job's memory.
final class ShmNames implements NameService {
    private final Segment segment;
    private final ShmCommunicators communicators;
    private final Place place;
    private final SharedNotes notes;

    ShmNames(Segment segment, ShmCommunicators communicators, Place place) {
        this.segment = segment;
        this.communicators = communicators;
        this.place = place;
        notes = new SharedNotes(segment, place.process());
    }

    @Override
    public boolean publish(String key, String value, String operation) {
        return notes.add(key, value, operation);
    }

    @Override
    public @Nullable String find(String key) {
        return notes.find(key);
    }

    @Override
    public boolean withdraw(String key) {
        return notes.withdraw(key);
    }

    @Override
    public CommPort allProcesses() {
        return communicators.allProcesses(segment.processes(place.first() + place.size()), ContextIds.CONNECTION);
    }

    @Override
    public boolean hasLeftOrDied(int process) {
        return segment.hasLeftOrDied(process);
    }
}
