package org.tutti.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/// A test method that several ranks run at the same time; it passes if it passes on all ranks.
///
///     @RanksTest({1, 2, 3})
///     void sums(Mpi mpi) {
///         Comm world = mpi.world();
///         assertEquals(world.size(), world.allreduce(1, Op.SUM));
///     }
///
/// The method may have parameters of type `Mpi` and `Comm`, which are the instance and the world communicator
/// of the rank. If ranks are threads, parameters that other extensions resolve are supported, too, and are
/// shared by all ranks. When a rank fails, the other ranks have one second to fail independently; then the job
/// is ended. The failure of the test lists each rank that failed independently, with the line at which the rank
/// failed.
///
/// Ranks are threads that share the test instance and all static fields, unless [#processes] is set.
@SuppressWarnings("exports") // JUnit creates the extension
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(RanksExtension.class)
public @interface RanksTest {
    /// The numbers of ranks, 1 to 1024 each: the test is run once for each number.
    int[] value();

    /// Whether each rank is a process, as under `tutti run`: a JVM with the class path of the current JVM. Each
    /// process creates a separate instance of the test class, and calls the methods of this class that are
    /// annotated with `@BeforeAll`, `@BeforeEach`, `@AfterEach` or `@AfterAll` and have no parameters; other
    /// extensions run only in the process of the test.
    boolean processes() default false;

    /// The number of seconds after which the ranks are ended and the test fails; 0 for no limit. If ranks are
    /// threads, the failure contains the position of each rank. In a JVM that was started for a debugger, the
    /// limit does not apply.
    int timeoutSeconds() default 60;
}
