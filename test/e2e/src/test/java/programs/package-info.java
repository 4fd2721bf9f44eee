/// Small MPI programs that tests start by name. The package is outside `org.tutti`, like users' programs: Tutti
/// distinguishes stack frames of the program by the package.
package programs;
