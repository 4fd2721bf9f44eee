/// What a C header would say: handles, sentinels, numbers and layouts of the MPI library that was found.
///
///     Abi (OPEN_MPI | MPICH | STANDARD) ──reads──▶ openmpi.tsv | mpich.tsv | mpi5.tsv ──▶ AbiTable
///
/// Rules: no constant of an MPI header stands anywhere else; a table is the newest header's, older libraries
/// lack some of its symbols; an `int` handle is sign-extended to the `long` that all of Tutti uses. Not here:
/// MS-MPI, whose datatypes and widths differ from MPICH's; the tools interface (MPI 4.1, chapter 15).
@NullMarked
package org.tutti.libmpi.abi;

import org.jspecify.annotations.NullMarked;
