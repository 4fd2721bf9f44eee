/*
 * Two ranks receive before sending: each waits forever for a message from the other rank. Tutti detects the deadlock
 * and ends the job.
 *
 *     ./tutti run -n 2 examples/Deadlock.java
 *
 *     tutti: deadlock: 0 recvObject←1 (Deadlock.java:16) → 1 recvObject←0 (Deadlock.java:16) → 0: exit code 1 after 4.1 s; ranks 0 and 1 were stopped
 */

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int other = 1 - world.rank();
        Object received = world.recvObject(Object.class, other, 0);
        world.sendObject("from rank " + world.rank(), other, 0);
        IO.println(received);
    }
}
