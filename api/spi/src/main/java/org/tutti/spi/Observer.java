package org.tutti.spi;

import java.util.List;

/// Observes the calls of a program to an engine: a recorder, a checker of collective calls, a log.
///
/// The caller of the engine notifies it before and after each call, in the calling thread. Each `begins` is
/// followed by `returns` with the same arguments, or by [#fails] if the engine or an observer closer to the
/// engine has thrown an exception.
public interface Observer {
    /// The kind of call.
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

        /// Whether a probe removes the message from the queue.
        public final boolean takes;

        Verb() {
            this(false, false);
        }

        Verb(boolean waits, boolean takes) {
            this.waits = waits;
            this.takes = takes;
        }
    }

    /// Called before a call. `call` is an [Activity] for [Verb#RUN] to [Verb#CANCEL], the [Transfer] with the
    /// pattern for the four probes, and otherwise the class for the verb. An access to a window can take a few
    /// nanoseconds, so an observer of accesses must be equally fast.
    ///
    /// @throws Fault if the call must not be executed
    default void begins(Verb verb, ObservedCall call) {}

    /// Called after a call has returned. The object contains the result.
    ///
    /// @throws Fault if an error was found that ends the job
    default void returns(Verb verb, ObservedCall call) {}

    /// Called before a lock of a window's target is requested, whether or not the request waits. Must be as
    /// fast as for an access.
    default void locks(WindowPort window, int target) {}

    /// Called when an access is complete, including nonblocking accesses, by the thread that executed it.
    default void ended(FileAccess access, boolean failed) {}

    /// Called when the last call that this thread began has thrown an exception.
    default void fails(Verb verb) {}

    /// Called when the rank is about to leave.
    default void leaving() {}

    /// Called when the rank has left.
    default void left() {}

    /// Called when the rank is about to end the job.
    default void aborts() {}

    /// Returns a short explanation why `activity` cannot make progress; empty if this observer has none.
    default String explain(Activity activity) {
        return "";
    }

    /// Returns the lines of the sends that were never received, as far as this observer can detect: `A.java:7,
    /// A.java:9`; empty if no line is known.
    ///
    /// @param open the communicators that are open
    default String linesOfUnreceived(List<CommPort> open) {
        return "";
    }
}
