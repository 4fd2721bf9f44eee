/// The cpus of the machine and of a process. The launcher, which assigns cpus, uses this package, and so do
/// ranks that query the assignment.
@NullMarked
package org.tutti.job.cpu;

import org.jspecify.annotations.NullMarked;
