/// Where ranks run: on which hosts, and there on which cpus.
///
///     Binding, Hosts, Rankfile: what the user said ──with CpuTopology──▶ Bindings: the cpus of each rank
///
/// A cpu is the kernel's number of a hardware thread. Where a native launcher places ranks on other hosts, only
/// the
/// words are read here; [org.tutti.job.cpu.CpuLevel] is what both sides call the things that ranks are bound to.
@NullMarked
package org.tutti.launch.place;

import org.jspecify.annotations.NullMarked;
