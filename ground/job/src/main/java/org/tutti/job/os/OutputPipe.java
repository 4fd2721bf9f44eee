package org.tutti.job.os;

import java.io.InputStream;

/// A pipe without a name, which other processes of this user open through [#path]. The pipe exists as long as
/// this process.
///
/// @param in the end from which this process reads; it reports the end of the data when no process has the
///     other end open and [#seal] has been called
/// @param path the path at which processes open the other end
/// @param seal closes this process's copy of the other end; further calls have no effect
public record OutputPipe(InputStream in, String path, Runnable seal) {}
