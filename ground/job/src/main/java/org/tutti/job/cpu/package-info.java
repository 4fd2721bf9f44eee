/// The cpus of the machine and of a process: for the launcher, which assigns cpus, and for ranks that query the
/// assignment.
@NullMarked
package org.tutti.job.cpu;

import org.jspecify.annotations.NullMarked;
