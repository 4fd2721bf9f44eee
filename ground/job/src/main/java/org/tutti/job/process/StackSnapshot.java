package org.tutti.job.process;

/// The stack of the thread that created this object. The program's line is determined only on request, because
/// requests are rare, and capturing the stack takes only a tenth of the time that determining the line takes.
public final class StackSnapshot extends Throwable {
    private static final long serialVersionUID = 1;

    public StackSnapshot() {
        super(null, null, false, true);
    }

    /// Returns the line as [UserLine#at] would have returned it, for example ` at Ring.java:30`; an empty
    /// string if there is none.
    public String at() {
        return UserLine.in(getStackTrace());
    }
}
