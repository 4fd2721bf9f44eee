package org.tutti.spi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.ElementType;

/// The errors of received messages and of inaccessible memory, with the same wording for every engine.
public final class MessageErrors {
    /// The JDK's message for a segment of a closed arena.
    private static final String CLOSED = "Already closed";

    private MessageErrors() {}

    /// Returns the error for a message whose element types differ from the types of the buffer. Source, tag and
    /// length are taken from the results of the receive.
    ///
    /// @param sent the element types of the sender
    /// @param from the text that follows the tag, for example `, sent at A.java:7`; may be empty
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

    /// Returns the error for a message that is longer than the buffer.
    ///
    /// @param from the text that follows the tag, for example `, sent at A.java:7`; may be empty
    public static Fault truncated(Transfer receive, String from) {
        return Fault.message(
                PredefinedErrorClass.ERR_TRUNCATE,
                receive.operation,
                "message of " + size(receive.receivedBytes, receive.type) + " " + origin(receive) + from
                        + ", does not fit into the buffer of " + size(receive.lengthBytes, receive.type),
                receive.port());
    }

    /// Returns the error for a call with memory that the JDK refused to access. Returns `why` itself if it is a
    /// different exception.
    public static Throwable ofMemory(Activity activity, Throwable why) {
        String detail = isOfMemory(activity, why) ? detail(why) : null;
        if (detail == null) return why;
        return Fault.argument(PredefinedErrorClass.ERR_BUFFER, activity.operation, detail, activity.port());
    }

    /// Returns the error, as [#ofMemory(Activity, Throwable)] does. The call runs no code of the program, so the
    /// exception cannot originate there.
    public static Throwable ofMemory(String operation, @Nullable CommPort port, Throwable why) {
        String detail = detail(why);
        return detail == null ? why : Fault.argument(PredefinedErrorClass.ERR_BUFFER, operation, detail, port);
    }

    /// Returns the error text for memory that the JDK refused to access; null for other exceptions.
    public static @Nullable String detail(Throwable why) {
        if (why instanceof WrongThreadException) return confined(" of another thread");
        boolean isClosed = why instanceof IllegalStateException && CLOSED.equals(why.getMessage());
        return isClosed ? "the buffer's arena is closed; keep it open until the call is complete" : null;
    }

    /// Returns the error text for memory of a confined arena.
    ///
    /// @param more the text that follows "arena"
    public static String confined(String more) {
        return "the buffer is in a confined arena" + more
                + "; use mpi.arena(), Arena.ofShared(), Arena.ofAuto(), mpi.alloc or an array";
    }

    /// Returns whether the exception can concern the activity's memory. The program's code can throw the same
    /// exception: when an object is encoded or decoded, and in the function of a reduction.
    private static boolean isOfMemory(Activity activity, Throwable why) {
        if (!(why instanceof IllegalStateException) && !(why instanceof WrongThreadException)) return false;
        return switch (activity.family) {
            case TRANSFER -> ((Transfer) activity).kind != Transfer.Kind.RECV_ALLOCATE;
            case COLLECTIVE -> {
                Collective c = (Collective) activity;
                yield c.op == null || c.send.isInaccessible() || c.recv.isInaccessible();
            }
        };
    }

    private static String begin(Transfer receive, String from) {
        return "message " + origin(receive) + from + ", ";
    }

    private static String origin(Transfer receive) {
        return "from " + receive.port().describeRank(receive.source) + ", tag " + receive.receivedTag;
    }

    private static String wanted(ElementType type) {
        return type.isMixed() || type.isBasic() ? type.toString() : type.basic() + ", as " + type;
    }

    /// Returns a description of the size, for example `10 DOUBLE (80 bytes)`.
    private static String size(long bytes, ElementType of) {
        ElementType type = of.basic();
        return type.bytes() == 1 ? bytes + " bytes" : bytes / type.bytes() + " " + type + " (" + bytes + " bytes)";
    }
}
