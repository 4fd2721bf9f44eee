package org.tutti.shm.channel;

/// The bytes of a record.
///
///     0               8              16             24         32
///     | word          | context      | envelope     | length   |  payload, padded to 64 …
///     | word          | context      | envelope     | length   | call a | call b | call c | 56 payload …
///     | word (DATA)   | receive id   | offset       | length   |  32 payload …
///     | word (ACCEPT) | send id      | receive id   | length   |
///
///     envelope tag | source << 32
///     word     record's bytes, int32 | kind << 32 | type code << 40 | flags << 48 | signature << 50; stored last,
///              with release
///
/// A record begins on a cache line, so that a small message is one line: 32 bytes of header and up to 32
/// of payload. `word` is never 0 in a record; the producer stores a 0 where the next record will begin
/// before it shows this one, so that a 0 always means "not there yet".
public final class RecordDescriptor {
    public static final int LINE = 64;
    public static final int CONTEXT = 8, ENVELOPE = 16, LENGTH = 24, PAYLOAD = 32;
    public static final int CALL_A = 32, CALL_B = 40, CALL_C = 48, CALL_PAYLOAD = 56;
    public static final int DATA_ID = 8, DATA_OFFSET = 16;
    public static final int ACCEPT_SEND = 8, ACCEPT_RECEIVE = 16;

    /// In an `ACCEPT`, for how many bytes are wanted: none, and nobody has received the message.
    public static final long REFUSED = -1;

    /// In an `OFFER`, after the header or the call: the id of the send, and where its bytes lie in the
    /// segment or
    /// -1.
    public static final int OFFER_BYTES = 16;

    /// A whole message.
    public static final int EAGER = 1;
    /// A message whose bytes wait for the receiver's `ACCEPT`.
    public static final int OFFER = 2;
    /// The receiver's answer to an `OFFER`: how many bytes it wants. With 0 the offer is done.
    public static final int ACCEPT = 3;
    /// A part of an accepted message.
    public static final int DATA = 4;
    /// Nothing; the ring begins again at its start.
    public static final int PAD = 5;

    /// Flag: the three call words are there.
    public static final int HAS_CALL = 1;

    /// Flag of an `EAGER`: the payload is preceded by the id of the send, which is complete when the receiver
    /// has answered by an `ACCEPT` with 0 (synchronous mode).
    public static final int ASKS = 2;

    /// Above the flags, the 14 bits of [org.tutti.spi.type.ElementType#signatureHash] of a message whose elements
    /// are of several types.
    public static final int SIGNATURE_SHIFT = 2;

    /// The id before the payload of a record that asks.
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

    /// Where an `EAGER` record's payload (the id, of one that asks) or an `OFFER`'s two words begin.
    public static int payloadOffset(long word) {
        return hasCall(word) ? CALL_PAYLOAD : PAYLOAD;
    }

    /// The size of a record with `payload` bytes after a header of `header` bytes.
    public static int sizeOf(int header, int payload) {
        return (header + payload + LINE - 1) & -LINE;
    }
}
