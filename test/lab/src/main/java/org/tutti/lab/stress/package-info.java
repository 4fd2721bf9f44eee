/// What two processors may see of the shm engine's memory protocol: each class is one race with the list
/// of its allowed outcomes, run by jcstress.
///
///     ring       a record is seen whole or not at all, in order, also when its place is used again
///     board      a post is seen whole or not at all, and stays until it is finished
///     sleep/wake whoever goes to sleep is woken for what it did not see: on its bell, and for room in a ring
///     window     who has a lock sees what was stored under it before; accumulates are atomic
///     activity   who sees that an operation is done sees its results
///
/// Rules: the classes under test are used as they are, on memory of the heap, which has the same rules as
/// mapped memory. `./mvnw test -Pfull -pl :tutti-lab -am` runs all for some seconds, with
/// `-Dtutti.stress.mode=default` for minutes: do so after a change of rings, boards, bells, locks or activities.
@NullMarked
package org.tutti.lab.stress;

import org.jspecify.annotations.NullMarked;
