/// Small MPI programs that tests start by name. They are outside `org.tutti`, like users' programs: Tutti
/// distinguishes stack frames of the program by the package.
package programs;
