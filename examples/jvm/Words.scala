/*
 * Scala: an array, and a collection of Scala as a list of java.util. TUTTI and LIBRARIES are the class paths of
 * docs/languages.md.
 *
 *     scalac -cp "$TUTTI" -d words.jar examples/jvm/Words.scala
 *     ./tutti run -n 3 -cp "words.jar:$LIBRARIES" words
 *
 *     letters [4, 13, 22]
 *     to be, or not to be, that is the
 */

import org.tutti.mpi.{Mpi, Op}
import org.tutti.mpi.Buf.buf
import scala.jdk.CollectionConverters.*
import scala.util.Using

// The main class has the name of the method.
@main def words(): Unit =
  Using.resource(Mpi.init()): mpi =>
    val world = mpi.world()
    val me = world.rank()
    val mine = List("to be", "or not to be", "that is the")(me)
    val letters = Array(mine.count(_.isLetter))
    world.scan(buf(letters), Op.SUM) // in place: letters of the ranks up to this one

    val lines = world.gatherObject(mine, 0) // a java.util.List on rank 0, null on the other ranks
    val counts = world.gatherObject(letters(0), 0)
    if me == 0 then
      println(counts.asScala.mkString("letters [", ", ", "]"))
      println(lines.asScala.mkString(", "))

    val lengths = world.allgatherObject(mine.split(" ").map(_.length).toList.asJava)
    assert(lengths.get(me).asScala.sum <= letters(0))
