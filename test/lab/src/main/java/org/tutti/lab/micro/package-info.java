/// The costs of parts of a message and of a collective call, each in one thread, measured with JMH. The
/// benchmarks include the code, but no transfer between cores.
///
///     RingRecord      a record, written and taken       CopyRun            the bytes of a message
///     Matching        a receive and the message         Reduce             operands combined
///     SlotPost        a call, read by a second rank     ObjectCodecCost    a map to bytes and back
///     FlightRecord    the flight recorder
///
/// Each build runs every benchmark briefly. The following command measures the benchmarks with `Matching` in
/// the name; `.` selects all. `tutti bench` measures complete messages.
///
///     ./mvnw test -pl :tutti-lab -am -Dtest=MicroTest -Dsurefire.failIfNoSpecifiedTests=false \
///         -Dtutti.micro=Matching
@NullMarked
package org.tutti.lab.micro;

import org.jspecify.annotations.NullMarked;
