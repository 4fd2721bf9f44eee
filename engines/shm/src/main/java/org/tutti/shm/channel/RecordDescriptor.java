package org.tutti.shm.channel;

/// The layout of a record.
///
///     0               8              16             24         32
///     | word          | context      | envelope     | length   |  payload, padded to 64 …
///     | word          | context      | envelope     | length   | call a | call b | call c | 56 payload …
///     | word (DATA)   | receive id   | offset       | length   |  32 payload …
///     | word (ACCEPT) | send id      | receive id   | length   |
///
///     envelope tag | source << 32
///     word     size of the record, int32 | kind << 32 | type code << 40 | flags << 48 | signature << 50;
///              stored last, with release
///
/// A record begins on a cache line, so a small message is one line: a header of 32 bytes and up to 32 bytes of
/// payload. `word` is never 0 in a record. Before the producer publishes a record, it stores 0 at the position
/// of the next record, so 0 always means "not yet written".
public final class RecordDescriptor {
    public static final int LINE = 64;
    public static final int CONTEXT = 8, ENVELOPE = 16, LENGTH = 24, PAYLOAD = 32;
    public static final int CALL_A = 32, CALL_B = 40, CALL_C = 48, CALL_PAYLOAD = 56;
    public static final int DATA_ID = 8, DATA_OFFSET = 16;
    public static final int ACCEPT_SEND = 8, ACCEPT_RECEIVE = 16;

    /// The length in an `ACCEPT` that requests no data, because the message was not received.
    public static final long REFUSED = -1;

    /// The size of the last two fields of an `OFFER`, which follow the header and, if present, the call
    /// signature: the send id, and the offset of the message's data in the segment, or -1.
    public static final int OFFER_BYTES = 16;

    /// A complete message.
    public static final int EAGER = 1;
    /// An announced message. The sender retains the data until the receiver's `ACCEPT`.
    public static final int OFFER = 2;
    /// The receiver's answer to an `OFFER`: the number of requested bytes. An answer of 0 bytes completes the
    /// offered send.
    public static final int ACCEPT = 3;
    /// A fragment of an accepted message.
    public static final int DATA = 4;
    /// Padding up to the end of the ring. The next record is at the start.
    public static final int PAD = 5;

    /// Flag: the record contains the call signature, `call a` to `call c`.
    public static final int HAS_CALL = 1;

    /// Flag of an `EAGER` record in synchronous mode: the send id precedes the payload. The send completes when
    /// the receiver answers with an `ACCEPT` of 0 bytes.
    public static final int ASKS = 2;

    /// The bit position, above the flags, of the 14 bits of [org.tutti.spi.type.ElementType#signatureHash], for
    /// messages with elements of several types.
    public static final int SIGNATURE_SHIFT = 2;

    /// The size of the send id, which precedes the payload of a record with the flag [#ASKS].
    public static final int ASK_BYTES = 8;

    private RecordDescriptor() {}

    static long word(int recordBytes, int kind, int typeCode, int flags) {
        return recordBytes | (long) kind << 32 | (long) typeCode << 40 | (long) flags << 48;
    }

    static long envelope(int source, int tag) {
        return (long) source << 32 | tag & 0xffffffffL;
    }

    public static int source(long envelope) {
        return (int) (envelope >> 32);
    }

    public static int tag(long envelope) {
        return (int) envelope;
    }

    public static int bytes(long word) {
        return (int) word;
    }

    public static int kind(long word) {
        return (int) (word >>> 32) & 0xff;
    }

    public static int typeCode(long word) {
        return (int) (word >>> 40) & 0xff;
    }

    public static int signature(long word) {
        return (int) (word >>> 48 + SIGNATURE_SHIFT);
    }

    public static boolean hasCall(long word) {
        return (word >>> 48 & HAS_CALL) != 0;
    }

    public static boolean asks(long word) {
        return (word >>> 48 & ASKS) != 0;
    }

    /// Returns the offset of the payload of an `EAGER` record, or of the last two fields of an `OFFER`. With
    /// [#ASKS], returns the offset of the send id, which precedes the payload.
    public static int payloadOffset(long word) {
        return hasCall(word) ? CALL_PAYLOAD : PAYLOAD;
    }

    /// Returns the size of a record with `payload` bytes after a header of `header` bytes.
    public static int sizeOf(int header, int payload) {
        return (header + payload + LINE - 1) & -LINE;
    }
}
