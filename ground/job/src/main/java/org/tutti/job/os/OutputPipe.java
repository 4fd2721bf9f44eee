package org.tutti.job.os;

import java.io.InputStream;

/// A pipe without a name that other processes of this user open through [#path]. It exists while this process does.
///
/// @param in the end that this process reads; ends when no process has the other end open and [#seal] was called
/// @param path where processes open the other end
/// @param seal closes this process's copy of the other end; from the second call on it does nothing
public record OutputPipe(InputStream in, String path, Runnable seal) {}
