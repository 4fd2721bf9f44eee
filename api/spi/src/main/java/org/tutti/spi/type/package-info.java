/// Where the bytes of a derived datatype lie, and what they are: MPI's type map, as loops rather than as
/// a list.
///
///     Layout (of a buffer) ──▶ Piece: Run | Loop | Blocks | Parts ──▶ Moves (the copying) ──▶ Elements
///     Tiling (of a file's view) ──▶ Placed, again and again
///     ElementType (what an engine knows of one element) ──▶ Signature (the sequence of basic types, as a hash)
///
/// The packed bytes of a buffer are those of its runs in the order of the type map. A piece copies any
/// part of them in or out, straight between the user's memory and an engine's. Rules: numbers and
/// segments only, nothing of messages; nothing is allocated once a piece is made.
@NullMarked
package org.tutti.spi.type;

import org.jspecify.annotations.NullMarked;
