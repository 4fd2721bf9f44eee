/// Small MPI programs that tests start by name. Like programs of users, the package is outside of `org.tutti`,
/// because Tutti recognizes stack frames of the program by the package.
package programs;
