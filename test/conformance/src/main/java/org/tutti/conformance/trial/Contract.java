package org.tutti.conformance.trial;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// A static method with one parameter, a [Trial], that every rank of a job runs: a fact that holds on every
/// engine.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Contract {
    /// The minimum number of ranks at which the fact can be observed.
    int minRanks() default 1;

    /// With more ranks it would take too long, or make no sense.
    int maxRanks() default Integer.MAX_VALUE;

    /// The only engine that guarantees the fact; empty for all.
    String engine() default "";

    /// Only with `-Pfull` and ranks that are processes: needs gigabytes.
    boolean large() default false;

    /// Slow if ranks share cores: by default executed by ranks in threads, and by one process.
    boolean slow() default false;
}
