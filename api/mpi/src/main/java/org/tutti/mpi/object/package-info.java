/// Objects as bytes: the safe codec behind `sendObject`, `recvObject` and the other `…Object` calls.
///
///     Comm ──value──▶ ObjectCodec ──▶ ObjectWriter ──▶ ByteSink ──▶ off-heap chunks ─┬─▶ the message
///                                          └─ large arrays, as they are ─────────────┘      │
///     Comm ◀──value── ObjectCodec ◀── ObjectReader ◀── ByteSource ◀── ObjectRoom ◀──────────┘
///                                          └─ Shape: what a class travels as; OwnClasses: which names
///                                             become classes
///
/// What travels: null, boxed primitives, strings, arrays of everything that travels, the lists, sets, maps and
/// `ArrayDeque` of `java.util`, `Optional`, `BigInteger`, `BigDecimal`, `UUID`, `Duration`, `Instant`, `LocalDate`,
/// `LocalTime`, `LocalDateTime`, and the program's own records and enums. `ArrayList`, `LinkedList`, `HashMap`,
/// `LinkedHashMap`, `TreeMap`, `HashSet`, `LinkedHashSet`, `TreeSet`, `EnumMap`, `EnumSet` and `ArrayDeque` arrive
/// as what they were; any other list, set or map of the JDK arrives as an unmodifiable one that equals it (so does
/// an empty `EnumMap`, which does not tell the type of its keys). Sets and maps that compare by
/// identity are refused, even inside a wrapper ([EqualityCheck]). A collection is also refused if its
/// component or array cannot hold the class as which it arrives ([ArrivingClass]).
///
/// Rules: a message can only name a record, an enum or (as the element type of an array) an interface that
/// the program's class loader finds outside the JDK; records are built by their canonical constructors, so
/// their checks hold. A shared object arrives once for each reference to it; an object that contains itself
/// is refused, and so is more than [ObjectCodec#MAX_DEPTH] levels of nesting. Nothing is allocated for a
/// count before the bytes for it are seen to be there, so that a broken or hostile message ends in a
/// [CodecException] and never in an `OutOfMemoryError`.
///
/// Arrays of 32 KiB and more lie outside the stream ([Tag] has the layout): they are sent from the value and
/// received into the new one. Until a message has been sent, its value must not be changed.
///
/// Not here: Java serialization, which has to be asked for and is no part of this package.
@NullMarked
package org.tutti.mpi.object;

import org.jspecify.annotations.NullMarked;
