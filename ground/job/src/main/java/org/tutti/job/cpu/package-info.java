/// The machine's cpus, and which of them a process may run on: for the launcher, which deals them out, and for a
/// rank that wants to know.
@NullMarked
package org.tutti.job.cpu;

import org.jspecify.annotations.NullMarked;
