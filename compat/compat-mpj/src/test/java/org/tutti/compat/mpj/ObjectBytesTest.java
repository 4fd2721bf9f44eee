package org.tutti.compat.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.Serializable;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The classes that a message may contain.
class ObjectBytesTest {
    private record Own(String name, int[] numbers) implements Serializable {}

    private interface Asked extends Serializable, Runnable {}

    private static Object[] through(Object... objects) throws ObjectBytes.Refused {
        Object[] there = new Object[objects.length];
        int[] places = new int[objects.length];
        for (int i = 0; i < places.length; i++) places[i] = i;
        assertThat(ObjectBytes.into(ObjectBytes.of(objects, places), there, places))
                .isEqualTo(objects.length);
        return there;
    }

    @Test
    void valuesAndTheProgramsClassesAreLetIn() throws ObjectBytes.Refused {
        Object[] sent = {
            null,
            "a",
            7,
            2.5,
            List.of(1, 2),
            new ArrayList<>(List.of("x")),
            new TreeMap<>(Map.of(1, 'c')),
            LocalDate.EPOCH
        };
        assertThat(through(sent)).isEqualTo(sent);
        Own own = (Own) through(new Own("n", new int[] {3}))[0];
        assertThat(own.numbers()).containsExactly(3);
        assertThat(((double[][]) through((Object) new double[][] {{1}, {2, 3}})[0])[1])
                .containsExactly(2, 3);
    }

    /// The classes are given by name, because this module does not read the modules that define them.
    /// End-to-end tests also send objects of some of these classes.
    @Test
    void plainValuesOfOtherModulesAreLetIn() throws Exception {
        for (String value : new String[] {"java.awt.Dimension", "java.awt.geom.Path2D$Double", "java.sql.Timestamp"}) {
            assertThat(ObjectBytes.isLetIn(Class.forName(value))).as(value).isTrue();
            assertThat(ObjectBytes.isLetIn(Class.forName("[L" + value + ";")))
                    .as(value)
                    .isTrue();
        }
        for (String other : new String[] {"java.awt.Font", "java.awt.Component", "javax.swing.JFrame"}) {
            assertThat(ObjectBytes.isLetIn(Class.forName(other))).as(other).isFalse();
        }
    }

    @Test
    void otherClassesAreRefusedByName() {
        assertThatThrownBy(() -> through(new File("x")))
                .hasMessage("the message holds a java.io.File, which is not a class of the program or a value of"
                        + " the JDK; --jvm=-Dtutti.mpj.filter=off lets every class in");
        assertThatThrownBy(() -> through((Asked) () -> {})).hasMessageContaining("java.lang.invoke.SerializedLambda");
        assertThatThrownBy(() -> through(List.of(new File("x")))).hasMessageContaining("java.io.File");
    }

    @Test
    void thePropertyLetsEveryClassIn() throws ObjectBytes.Refused {
        System.setProperty(ObjectBytes.PROPERTY, "off");
        try {
            assertThat(through(new File("x"))).containsExactly(new File("x"));
        } finally {
            System.clearProperty(ObjectBytes.PROPERTY);
        }
    }

    @Test
    void aBufferOfAnotherClassIsNamed() throws ObjectBytes.Refused {
        byte[] bytes = ObjectBytes.of(new Object[] {"text"}, new int[] {0});
        assertThatThrownBy(() -> ObjectBytes.into(bytes, new Integer[1], new int[] {0}))
                .hasMessage("the message holds a java.lang.String but the buffer is a java.lang.Integer[]");
    }
}
