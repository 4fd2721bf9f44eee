package org.tutti.spi;

import java.util.List;

/// Observes the calls of a program to an engine. Examples are a recorder, a checker of collective calls, and a
/// log.
///
/// The caller of the engine notifies the observer before and after each call, in the calling thread. Each
/// `begins` is followed by `returns` with the same arguments, or by [#fails] if the engine or an observer
/// closer to the engine has thrown an exception.
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

        /// Whether a probe reserves the message, so that no other receive can match it.
        public final boolean takes;

        Verb() {
            this(false, false);
        }

        Verb(boolean waits, boolean takes) {
            this.waits = waits;
            this.takes = takes;
        }
    }

    /// Called before a call. For [Verb#RUN] to [Verb#CANCEL], `call` is an [Activity]; for the four probes, it
    /// is the [Transfer] with the pattern; for every other verb, it is an object of the class for this verb,
    /// for example a [LocalWait] for [Verb#AWAIT_LOCAL]. An access to a window can take a few nanoseconds, so
    /// an observer of accesses must be equally fast.
    ///
    /// @throws Fault if the call must not be executed
    default void begins(Verb verb, ObservedCall call) {}

    /// Called after a call has returned. The object contains the result.
    ///
    /// @throws Fault if the observer has found an error that ends the job
    default void returns(Verb verb, ObservedCall call) {}

    /// Called before a lock of a window's target is requested, whether or not the request waits. Must be as
    /// fast as the notification of an access.
    default void locks(WindowPort window, int target) {}

    /// Called when an access, which may be nonblocking, is complete. The caller is the thread that executed the
    /// access.
    default void ended(FileAccess access, boolean failed) {}

    /// Called when the most recent call that this thread has begun throws an exception.
    default void fails(Verb verb) {}

    /// Called when the rank is about to leave.
    default void leaving() {}

    /// Called when the rank has left.
    default void left() {}

    /// Called when the rank is about to end the job.
    default void aborts() {}

    /// Returns a short explanation of why `activity` cannot make progress; an empty string if this observer has
    /// no explanation.
    default String explain(Activity activity) {
        return "";
    }

    /// Returns the source lines of the sends that were never received, as far as this observer can detect, for
    /// example `A.java:7, A.java:9`; an empty string if no line is known.
    ///
    /// @param open the communicators that are open
    default String linesOfUnreceived(List<CommPort> open) {
        return "";
    }
}
