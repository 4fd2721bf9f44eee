/// What the pieces of a message and of a collective call cost, each alone in one thread, by JMH: the code
/// itself, without the way from one core to another.
///
///     RingRecord   a record written and taken      CopyRun    the bytes of a message
///     Matching     a receive and its message       Reduce     operands combined
///     BoardPost    a post, and another rank's look  Objects    a map to bytes and back
///
/// `./mvnw test -pl :tutti-micro -am -Dtutti.micro=Matching` measures those whose name fits, `.` all; every
/// build runs each for a moment. `tutti bench` measures the whole.
@NullMarked
package org.tutti.micro;

import org.jspecify.annotations.NullMarked;
