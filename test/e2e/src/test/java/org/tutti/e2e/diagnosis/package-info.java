/// Tutti's reports about a program that is wrong, slow or stopped: which rank, which call, which line; and no
/// report about a correct program.
package org.tutti.e2e.diagnosis;
