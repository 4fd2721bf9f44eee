/// The operating system: files in memory that processes share, and their words; sleeping and waking; signals to
/// processes; cpus.
///
///     OsDoor ◀── PlainDoor: what Java alone can
///       ▲─────── a module for one system, a service
///     JobFile ──maps──▶ Words
@NullMarked
package org.tutti.job.os;

import org.jspecify.annotations.NullMarked;
