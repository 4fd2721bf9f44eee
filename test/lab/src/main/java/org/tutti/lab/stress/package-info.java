/// Tests the visibility of the shm engine's memory protocol between two processors. Each class is one race with
/// a list of allowed outcomes, which jcstress runs.
///
///     ring       a record is visible completely or not at all, in order, also in a reused slot
///     slots      a slot is visible completely or not at all, and remains valid until the call is finished
///     sleep/wake a sleeper is woken for each event that it missed: on the bell, and for free lines in a ring
///     window     the holder of a lock reads all data stored under earlier holds; accumulates are atomic
///     activity   a thread that reads a completed operation also reads the results
///
/// Rules: the classes under test are used unchanged, on heap memory, which has the same memory model as mapped
/// memory. `./mvnw test -Pfull -pl :tutti-lab -am` runs all tests for some seconds, with
/// `-Dtutti.stress.mode=default` for minutes. Use the longer mode after a change of rings, slots, bells, locks
/// or activities.
@NullMarked
package org.tutti.lab.stress;

import org.jspecify.annotations.NullMarked;
