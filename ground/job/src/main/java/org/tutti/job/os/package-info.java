/// The operating system: shared memory files and access to integers in these files; sleep and wake-up; signals
/// to processes; cpus.
///
///     OsPlatform ◀── PortablePlatform: pure Java
///       ▲─────── a module for one system, a service
///     JobFile ──maps──▶ SharedMemoryAccess
@NullMarked
package org.tutti.job.os;

import org.jspecify.annotations.NullMarked;
