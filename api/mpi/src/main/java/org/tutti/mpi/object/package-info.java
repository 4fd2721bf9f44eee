/// The safe codec, which converts objects to bytes for `sendObject`, `recvObject` and the other `…Object`
/// calls.
///
///     Comm ──value──▶ ObjectCodec ──▶ ObjectWriter ──▶ ByteSink ──▶ off-heap chunks ─┬─▶ the message
///                                          └─ large arrays, not copied ──────────────┘      │
///     Comm ◀──value── ObjectCodec ◀── ObjectReader ◀── ByteSource ◀── ObjectRoom ◀──────────┘
///                                          └─ Shape: the encoding of a class; OwnClasses: the classes
///                                             that a name may denote
///
/// Supported values: null, boxed primitives, strings, arrays of supported values, the lists, sets, maps and
/// `ArrayDeque` of `java.util`, `Optional`, `BigInteger`, `BigDecimal`, `UUID`, `Duration`, `Instant`,
/// `LocalDate`, `LocalTime`, `LocalDateTime`, and the program's records and enums. The class is preserved for
/// `ArrayList`, `LinkedList`, `HashMap`, `LinkedHashMap`, `TreeMap`, `HashSet`, `LinkedHashSet`, `TreeSet`,
/// `EnumMap`, `EnumSet` and `ArrayDeque`; any other list, set or map, including those of a library or a
/// different language, arrives as an equal unmodifiable collection of `java.util` (so does an empty `EnumMap`,
/// because its key type is not accessible; in a record component that is declared with the key type, it is
/// preserved). Fields of a subclass of a collection are not transferred. Sets and maps that compare by identity
/// are rejected, even inside a wrapper ([EqualityCheck]). A collection is also rejected if it would arrive with
/// a class that its component or array cannot hold ([ArrivingClass]).
///
/// Rules: a message can name only a record, an enum or (as the element type of an array) an interface that the
/// program's class loader finds outside the JDK. Records are created by the canonical constructors, so that
/// validation in constructors is effective. A shared object arrives as a separate copy for each reference. An
/// object that contains itself is rejected, and so are more than [ObjectCodec#MAX_DEPTH] levels of nesting.
/// Memory for a count is allocated only after a check that the bytes exist, so that a damaged or hostile
/// message results in a [CodecException], never in an `OutOfMemoryError`.
///
/// [ObjectCodec#encode] stores arrays of numbers or `char`s of 32 KiB and more outside the stream ([Tag]
/// defines the layout): they are sent from the value and received into the new value without copies, so the
/// value must not be changed until the message has been sent. [ObjectCodec#encodeWhole] and
/// [ObjectCodec#encodeEach] copy all arrays.
///
/// Java serialization is not part of this package; a program must request it explicitly.
@NullMarked
package org.tutti.mpi.object;

import org.jspecify.annotations.NullMarked;
