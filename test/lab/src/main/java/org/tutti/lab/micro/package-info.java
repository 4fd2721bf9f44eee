/// The costs of the pieces of a message and of a collective call, each in one thread, by JMH: the code itself,
/// without the transfer between cores.
///
///     RingRecord   a record written and taken      CopyRun    the bytes of a message
///     Matching     a receive and the message       Reduce     operands combined
///     BoardPost    a post, read by a second rank   Objects    a map to bytes and back
///
/// Each build runs every benchmark briefly. This command measures the benchmarks with `Matching` in the name,
/// with `.` all; `tutti bench` measures complete messages:
///
///     ./mvnw test -pl :tutti-lab -am -Dtest=MicroTest -Dsurefire.failIfNoSpecifiedTests=false \
///         -Dtutti.micro=Matching
@NullMarked
package org.tutti.lab.micro;

import org.jspecify.annotations.NullMarked;
