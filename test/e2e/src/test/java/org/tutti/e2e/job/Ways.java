package org.tutti.e2e.job;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

/// The engines and libraries over which a parameterized test runs: `quick` by default, `ci` with `-Pci`, `full`
/// with `-Pfull`. A test with the tag `full` has only `full`.
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(Ways.Source.class)
public @interface Ways {
    Way[] quick() default {};

    /// With `-Pci`. If empty, the same as `quick`.
    Way[] ci() default {};

    Way[] full() default {Way.SHM, Way.OPEN_MPI, Way.MPICH};

    /// Provides the engines and libraries of the annotation as arguments.
    final class Source implements ArgumentsProvider, AnnotationConsumer<Ways> {
        private Way[] quick = {}, ways = {};

        @Override
        public void accept(Ways annotation) {
            Way[] ofCi = annotation.ci();
            quick = annotation.quick();
            ways = Tier.FULL ? annotation.full() : Tier.CI && ofCi.length > 0 ? ofCi : quick;
        }

        @Override
        public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
            if (quick.length > 0 && context.getTags().contains("full")) {
                throw new IllegalStateException("@Ways(quick = …) has no effect with the tag full; remove quick");
            }
            return Stream.of(ways).map(Arguments::of);
        }
    }
}
