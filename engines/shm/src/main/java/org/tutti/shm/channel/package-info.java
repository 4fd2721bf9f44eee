/// Rings of records: the transport of bytes between ranks.
///
///     sender ──RingProducer──▶ |record|record|record|   … in the segment …   ──RingConsumer──▶ receiver
///
/// A ring has one producing and one consuming rank. Within a rank, the progress lock restricts access to one
/// thread. The record is drawn in [org.tutti.shm.channel.RecordDescriptor]. Rules: this package does not use
/// communicators or matching. It never waits: "no space" and "no record" are results.
@NullMarked
package org.tutti.shm.channel;

import org.jspecify.annotations.NullMarked;
