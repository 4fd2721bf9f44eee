/// The interfaces of C libraries as data. Resources contain tables of functions, error codes and numbers, and
/// the functions are bound according to these tables.
///
///     driver.tsv ──TableFile──▶ FunctionRows ──with the library's symbols──▶ FunctionTable: call(row, long …)
///     driver-errors.tsv ──TableFile──▶ ErrorTable
///     numbers.tsv ──TableFile──▶ HeaderNumbers
///
/// Rules: a table is stored next to the enum that names the rows, and each constant has one line. To add a
/// function, add a line, a constant and, in the tests, a prototype with which the line is compared. The tables
/// are read at first use.
@NullMarked
package org.tutti.device.table;

import org.jspecify.annotations.NullMarked;
