/// The embedded engine: ranks of one machine, in processes or threads, over shared memory; pure Java.
///
///     ShmProvider ──opens──▶ ShmEngine ──▶ progress ──▶ match, channel ──▶ segment ──▶ the job's file
///                               ├── collective calls: in slots, or schedules of org.tutti.coll over messages
///                               ├── windows: org.tutti.shm.window
///                               ├── ShmSpawning: processes of other worlds come in, by an Invitation
///                               ├── ShmNames: what they let each other know
///                               ├── ShmMeeting: memory without a job, for groups of different jobs
///                               └── WaitLoop: how threads wait, VirtualWaits those of virtual threads
///
/// Rules: no native access here; system calls are in [org.tutti.job.os.OsPlatform]. Ranks as
/// threads and ranks as processes run the same code and differ in where the file comes from and how a rank is
/// woken.
@NullMarked
package org.tutti.shm;

import org.jspecify.annotations.NullMarked;
