// Every process says who it is:   ./tutti run -n 4 examples/Hello.java

import org.tutti.mpi.*;

void main(String[] args) {
    try (Mpi mpi = Mpi.init(args)) {
        Comm world = mpi.world();
        IO.println("Hello, World! I am process " + world.rank() + " of " + world.size() + " on " + mpi.processorName() + ".");
    }
}
