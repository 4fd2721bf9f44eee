/// The operating system: shared memory files and access to words in them; sleep and wake-up; signals to
/// processes; cpus.
///
///     OsPlatform ◀── PortablePlatform: pure Java
///       ▲─────── a module for one system, a service
///     JobFile ──maps──▶ SharedMemoryAccess
@NullMarked
package org.tutti.job.os;

import org.jspecify.annotations.NullMarked;
