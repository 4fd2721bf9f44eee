/// The layout and the content of derived datatypes: MPI's type map, represented by loops rather than by a list.
///
///     Layout (of a buffer) ──▶ Piece: ByteRun | Loop | Blocks | Parts ──▶ Moves (copies) ──▶ Elements
///     Tiling (of a file's view) ──▶ TypeMap, repeated
///     ElementType (one element, for an engine) ──▶ Signature (the sequence of basic types, as a hash)
///
/// The packed bytes of a buffer are the bytes of the runs in the order of the type map. A piece copies any range
/// of the packed bytes directly between the program's memory and an engine's memory. Rules: these classes depend
/// only on numbers and segments, not on messages. Packing and unpacking do not allocate memory.
@NullMarked
package org.tutti.spi.type;

import org.jspecify.annotations.NullMarked;
