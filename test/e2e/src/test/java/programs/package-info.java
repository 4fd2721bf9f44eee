/// Small MPI programs that tests start by name. Outside `org.tutti`, as users' programs are: Tutti tells its
/// own lines of a stack from a user's by the package.
package programs;
