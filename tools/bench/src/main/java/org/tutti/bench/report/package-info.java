/// Output of a measurement's rows, in the launcher: a table on the screen, CSV and JSON files, charts.
///
///     lines of rank 0 ──▶ Reader ──▶ Result ──▶ CsvFile | JsonFile | Curves ──▶ Chart (org.tutti.chart)
///                           └──▶ stdout, and a progress line on a terminal
@NullMarked
package org.tutti.bench.report;

import org.jspecify.annotations.NullMarked;
