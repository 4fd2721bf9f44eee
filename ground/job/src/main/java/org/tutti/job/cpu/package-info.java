/// The machine's cpus and the cpus of a process: for the launcher, which assigns them, and for ranks that query
/// them.
@NullMarked
package org.tutti.job.cpu;

import org.jspecify.annotations.NullMarked;
