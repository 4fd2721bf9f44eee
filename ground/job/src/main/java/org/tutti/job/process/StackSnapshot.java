package org.tutti.job.process;

/// The stack of the thread that created this object. The program's line is determined on request, which is
/// rare: capturing the stack needs a tenth of the time.
public final class StackSnapshot extends Throwable {
    private static final long serialVersionUID = 1;

    public StackSnapshot() {
        super(null, null, false, true);
    }

    /// Returns the line as [UserLine#at] would have: ` at Ring.java:30`; empty if none.
    public String at() {
        return UserLine.in(getStackTrace());
    }
}
