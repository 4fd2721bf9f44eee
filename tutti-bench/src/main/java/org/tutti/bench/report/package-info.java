/// What becomes of a measurement's rows, in the launcher: a table on the screen, CSV and JSON files,
/// pictures.
///
///     lines of rank 0 ──▶ Reader ──▶ Result ──▶ CsvFile | JsonFile | Chart ──▶ Drawing: SvgDrawing | PngDrawing
///                           └──▶ stdout, and a line of progress on a terminal
///
/// Pictures are drawn by a page of code of our own: SVG needs no font and no window system then, and no
/// library has to come along. Only PNG loads `java.desktop`, headless.
@NullMarked
package org.tutti.bench.report;

import org.jspecify.annotations.NullMarked;
