package org.tutti.spi;

import java.util.List;

/// Watches the calls that a program makes of an engine: a recorder, a checker of collective calls, a log.
///
/// Whoever calls the engine tells it before and after each call, in the calling thread. Each `begins` is
/// followed by `returns` with the same arguments, or by [#fails] where the engine, or an observer further
/// in, has thrown.
public interface Observer {
    /// What is called.
    enum Verb {
        RUN,
        START,
        TEST,
        AWAIT,
        CANCEL,
        AWAIT_ANY,
        AWAIT_LOCAL,
        PROBE(true, false),
        IPROBE,
        MPROBE(true, true),
        IMPROBE(false, true),
        CREATE,
        ACCESS,
        FILE;

        /// Whether a probe waits for a message.
        public final boolean waits;

        /// Whether a probe takes the message that it finds.
        public final boolean takes;

        Verb() {
            this(false, false);
        }

        Verb(boolean waits, boolean takes) {
            this.waits = waits;
            this.takes = takes;
        }
    }

    /// A call is about to be made. `call` is an [Activity] for [Verb#RUN] to [Verb#CANCEL]; the [Transfer] with the
    /// pattern for the four probes; else of the class that belongs to the verb. An access to a window can take only
    /// some nanoseconds, so an observer of all accesses must be as short.
    ///
    /// @throws Fault when it must not be called
    default void begins(Verb verb, ObservedCall call) {}

    /// The call has returned; its object has the result.
    ///
    /// @throws Fault when something has been found that ends the job
    default void returns(Verb verb, ObservedCall call) {}

    /// A lock of a window's target is about to be asked for, whether or not that takes a wait: as short as an access.
    default void locks(WindowPort window, int target) {}

    /// It is over, also one that was started; by the thread that has run it.
    default void ended(FileAccess access, boolean failed) {}

    /// The thread's call that began last has thrown.
    default void fails(Verb verb) {}

    /// The rank is about to leave.
    default void leaving() {}

    /// The rank has left.
    default void left() {}

    /// The rank is about to end the job.
    default void aborts() {}

    /// What may explain that `activity` cannot go on, in a few words; empty where this one does not know.
    default String explain(Activity activity) {
        return "";
    }

    /// Where messages were sent that were never received, as far as this one knows: `A.java:7, A.java:9`;
    /// empty where it does not. `open` are the communicators there are.
    default String linesOfUnreceived(List<CommPort> open) {
        return "";
    }
}
