package org.tutti.job.os;

import java.io.InputStream;

/// A pipe without a name that other processes of this user open through [#path]. It exists as long as this
/// process.
///
/// @param in the end that this process reads; ends when no process has the other end open and [#seal] was
///     called
/// @param path at which processes open the other end
/// @param seal closes this process's copy of the other end; further calls have no effect
public record OutputPipe(InputStream in, String path, Runnable seal) {}
