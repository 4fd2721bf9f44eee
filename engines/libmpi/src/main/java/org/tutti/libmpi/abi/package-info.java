/// The contents of `mpi.h`: handles, sentinels, numbers and layouts of the MPI library.
///
///     Abi (OPEN_MPI | MPICH | STANDARD) ──reads──▶ openmpi.tsv | mpich.tsv | mpi5.tsv ──▶ AbiTable
///
/// Rules: constants of MPI headers occur only here. A table corresponds to the newest header; older libraries
/// lack some of the symbols. An `int` handle is sign-extended to the `long` that Tutti uses everywhere. MS-MPI
/// is not supported, because datatypes and widths differ from MPICH's. The tools interface (MPI 4.1, chapter
/// 15) is not supported either.
@NullMarked
package org.tutti.libmpi.abi;

import org.jspecify.annotations.NullMarked;
