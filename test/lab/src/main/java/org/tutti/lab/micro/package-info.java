/// What the pieces of a message and of a collective call cost, each alone in one thread, by JMH: the code
/// itself, without the way from one core to another.
///
///     RingRecord   a record written and taken      CopyRun    the bytes of a message
///     Matching     a receive and its message       Reduce     operands combined
///     BoardPost    a post, and another rank's look  Objects    a map to bytes and back
///
/// Each build runs every benchmark for a moment. This command measures those whose name contains `Matching`,
/// with `.` all; `tutti bench` measures whole messages:
///
///     ./mvnw test -pl :tutti-lab -am -Dtest=MicroTest -Dsurefire.failIfNoSpecifiedTests=false \
///         -Dtutti.micro=Matching
@NullMarked
package org.tutti.lab.micro;

import org.jspecify.annotations.NullMarked;
