/// Where ranks run: the hosts, and the cpus on each host.
///
///     Binding, Hosts, Rankfile: the user's options ──with CpuTopology──▶ Bindings: the cpus of each rank
///
/// A cpu is the kernel's number of a hardware thread. For ranks on other hosts, which a native launcher places,
/// this package only parses the options. [org.tutti.job.cpu.CpuLevel] contains the units to which ranks are
/// bound.
@NullMarked
package org.tutti.launch.place;

import org.jspecify.annotations.NullMarked;
