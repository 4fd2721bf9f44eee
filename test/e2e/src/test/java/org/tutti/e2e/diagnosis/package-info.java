/// What Tutti says about a program that is wrong, slow or stopped: which rank, which call, which line; and that
/// it says
/// nothing where all is well.
package org.tutti.e2e.diagnosis;
