/// Tutti's reports about a program that is wrong, slow or stopped: which rank, which call, which line. A
/// correct program causes no report.
package org.tutti.e2e.diagnosis;
