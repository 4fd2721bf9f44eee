package org.tutti.spi;

import org.tutti.spi.type.ElementType;

/// What is wrong with a message that was received: the same words for every engine.
public final class MessageErrors {
    /// What the JDK says of a segment whose arena is closed.
    private static final String CLOSED = "Already closed";

    private MessageErrors() {}

    /// The elements are of other types than the buffer's. Source, tag and length are the receive's results.
    ///
    /// @param sent what the sender's elements are
    /// @param from where it was sent, as the rest of the sentence; may be empty
    public static Fault wrongType(Transfer receive, ElementType sent, String from) {
        long elements = receive.receivedBytes / sent.bytes();
        String what = begin(receive, from);
        if (receive.kind == Transfer.Kind.RECV_ALLOCATE) {
            what += "holds " + elements + " " + sent + ", not an object; receive it with recv";
        } else if (sent == ElementType.OBJECT) {
            what += "holds an object, not " + wanted(receive.type) + "; receive it with recvObject";
        } else {
            what += "holds " + elements + " " + sent + ", the buffer is of " + wanted(receive.type);
        }
        return Fault.message(PredefinedErrorClass.ERR_TYPE, receive.operation, what, receive.port());
    }

    /// The message is longer than the buffer.
    ///
    /// @param from where it was sent, as the rest of the sentence; may be empty
    public static Fault truncated(Transfer receive, String from) {
        return Fault.message(
                PredefinedErrorClass.ERR_TRUNCATE,
                receive.operation,
                "message of " + size(receive.receivedBytes, receive.type) + " " + origin(receive) + from
                        + ", does not fit into the buffer of " + size(receive.lengthBytes, receive.type),
                receive.port());
    }

    /// What `why` means for a message whose memory the JDK refused to touch; `why` itself for anything else.
    public static Throwable ofMemory(Activity activity, Throwable why) {
        boolean mayBeUsers = !(activity instanceof Transfer t) || t.kind == Transfer.Kind.RECV_ALLOCATE;
        return mayBeUsers ? why : ofMemory(activity.operation, activity.port(), why);
    }

    /// The same of any call that runs nothing of the program's.
    public static Throwable ofMemory(String operation, CommPort port, Throwable why) {
        boolean closed = why instanceof IllegalStateException && CLOSED.equals(why.getMessage());
        if (!closed && !(why instanceof WrongThreadException)) return why;
        String what = closed
                ? "the arena of its memory is closed; keep it open until the call is complete"
                : "its memory is of a confined arena of another thread; use Arena.ofShared(), Arena.ofAuto(), mpi.alloc"
                        + " or an array";
        return Fault.argument(PredefinedErrorClass.ERR_BUFFER, operation, what, port);
    }

    private static String begin(Transfer receive, String from) {
        return "message " + origin(receive) + from + ", ";
    }

    private static String origin(Transfer receive) {
        return "from " + receive.port().who(receive.source) + ", tag " + receive.receivedTag;
    }

    private static String wanted(ElementType type) {
        return type.isMixed() || type.isBasic() ? type.toString() : type.basic() + ", as " + type;
    }

    /// `10 DOUBLE (80 bytes)`.
    private static String size(long bytes, ElementType of) {
        ElementType type = of.basic();
        return type.bytes() == 1 ? bytes + " bytes" : bytes / type.bytes() + " " + type + " (" + bytes + " bytes)";
    }
}
