/// Rings of records: how bytes go from one rank to another.
///
///     sender ──RingProducer──▶ |record|record|record|   … in the segment …   ──RingConsumer──▶ receiver
///
/// A ring has one producing and one consuming rank; within a rank, the progress lock makes it one thread.
/// The record is drawn in [org.tutti.shm.channel.RecordDescriptor]. Rules: knows no communicator and no matching;
/// never waits: "no room" and "nothing there" are results.
@NullMarked
package org.tutti.shm.channel;

import org.jspecify.annotations.NullMarked;
