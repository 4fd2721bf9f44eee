/// The visibility of the shm engine's memory protocol between two processors: each class is one race with the
/// list of allowed outcomes, run by jcstress.
///
///     ring       a record is seen completely or not at all, in order, also in a reused slot
///     board      a post is seen completely or not at all, and remains until it is finished
///     sleep/wake a sleeper is woken for each event that it has not seen: on the bell, and for room in a ring
///     window     the holder of a lock sees all data stored under it before; accumulates are atomic
///     activity   a thread that sees a completed operation sees the results
///
/// Rules: the classes under test are used unchanged, on memory of the heap, which has the same rules as mapped
/// memory. `./mvnw test -Pfull -pl :tutti-lab -am` runs all for some seconds, with
/// `-Dtutti.stress.mode=default` for minutes: do so after a change of rings, boards, bells, locks or
/// activities.
@NullMarked
package org.tutti.lab.stress;

import org.jspecify.annotations.NullMarked;
