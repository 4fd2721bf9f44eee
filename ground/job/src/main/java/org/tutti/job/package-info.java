/// Who am I, who are the others: what the launcher and the engines share, and nothing else.
///
///     launcher ──environment──▶ RankEnvironment ──▶ engine          JobStatus: one page per rank in the launcher's
/// unnamed file
///        └──────── creates ───▶ JobFile ◀── attaches ──┘  OsDoor: the system calls, by whoever can do them
///     RankWatch: a thread that answers the launcher what the rank does (RankStacks, ThreadState), by a
/// StacksFile
///     environment.NativeVariables: what a native library must find in the environment
///     SignalGuard: the JVM's handlers of signals, put back when a native library has taken them
///     LauncherDetection: which launcher it was, by all that the environment says (LauncherVariables)
///
/// Rules: the only reader of environment variables in Tutti; knows no engine; writes nothing to a
/// program's output.
@NullMarked
package org.tutti.job;

import org.jspecify.annotations.NullMarked;
