/*
 * Kotlin: an array, a record and a map in messages. TUTTI and LIBRARIES are the class paths of docs/languages.md.
 *
 *     kotlinc -jvm-target 25 -cp "$TUTTI" -d points.jar examples/jvm/Points.kt
 *     ./tutti run -n 3 -cp "points.jar:$LIBRARIES" PointsKt
 *
 *     sum [3.0, 6.0]
 *     3 points, the farthest is Point(name=p2, x=2.0, y=4.0)
 */

import org.tutti.mpi.Buf.buf
import org.tutti.mpi.Mpi
import org.tutti.mpi.Op

@JvmRecord
data class Point(val name: String, val x: Double, val y: Double)

fun main() {
    Mpi.init().use { mpi ->
        val world = mpi.world()
        val me = world.rank()
        val sum = doubleArrayOf(me.toDouble(), 2.0 * me)
        world.allreduce(buf(sum), Op.SUM)                       // in place
        if (me == 0) println("sum ${sum.toList()}")

        val settings = world.bcastObject(if (me == 0) mapOf("scale" to 2.0, "tags" to emptyList<String>()) else null, 0)
        val point = Point("p$me", me.toDouble(), (settings!!["scale"] as Double) * me)
        val all: List<Point>? = world.gatherObject(point, 0)    // null except on rank 0
        if (all != null) println("${all.size} points, the farthest is ${all.maxBy { it.x + it.y }}")
    }
}
