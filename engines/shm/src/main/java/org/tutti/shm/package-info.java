/// The embedded engine, in pure Java: ranks on the same machine, as processes or threads, communicate over
/// shared memory.
///
///     ShmProvider ──opens──▶ ShmEngine ──▶ progress ──▶ match, channel ──▶ segment ──▶ the job's file
///                               ├── collective calls: slots, or schedules of org.tutti.coll over messages
///                               ├── windows: org.tutti.shm.window
///                               ├── ShmSpawning: starts processes of new worlds, which join with an Invitation
///                               ├── ShmNames: published names
///                               ├── ShmConnection: shared memory for groups of different jobs
///                               └── WaitLoop: how threads wait; VirtualWaits for virtual threads
///
/// Rules: no native access; system calls are in [org.tutti.job.os.OsPlatform]. Ranks in threads and ranks in
/// processes run the same code. Only the origin of the file and the wake-up differ.
@NullMarked
package org.tutti.shm;

import org.jspecify.annotations.NullMarked;
