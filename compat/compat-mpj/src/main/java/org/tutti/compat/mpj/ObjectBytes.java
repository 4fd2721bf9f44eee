package org.tutti.compat.mpj;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Objects as bytes of Java serialization: the number of objects, then each object.
///
/// Received objects may be of the program's classes and of JDK classes that are values: strings, numbers,
/// collections, dates, points, colors, SQL dates, and arrays of these. The property [#PROPERTY] permits all
/// classes.
public final class ObjectBytes {
    /// The value `off` permits all classes.
    public static final String PROPERTY = "tutti.mpj.filter";

    private static final Set<String> VALUES = Set.of(
            "java.lang",
            "java.math",
            "java.net",
            "java.text",
            "java.time",
            "java.time.chrono",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "java.util.concurrent.locks",
            "java.util.regex");

    /// Names of value classes in modules other than java.base. These classes have no methods that
    /// deserialization could misuse. They are listed by name because most programs run without these modules.
    private static final Set<String> EXTERNAL_VALUES = Set.of(
            "java.awt.Color",
            "java.awt.Dimension",
            "java.awt.Insets",
            "java.awt.Point",
            "java.awt.Polygon",
            "java.awt.Rectangle",
            "java.awt.geom.AffineTransform",
            "java.awt.geom.Arc2D$Double",
            "java.awt.geom.Arc2D$Float",
            "java.awt.geom.CubicCurve2D$Double",
            "java.awt.geom.CubicCurve2D$Float",
            "java.awt.geom.Ellipse2D$Double",
            "java.awt.geom.Ellipse2D$Float",
            "java.awt.geom.Line2D$Double",
            "java.awt.geom.Line2D$Float",
            "java.awt.geom.Path2D",
            "java.awt.geom.Path2D$Double",
            "java.awt.geom.Path2D$Float",
            "java.awt.geom.GeneralPath",
            "java.awt.geom.Point2D$Double",
            "java.awt.geom.Point2D$Float",
            "java.awt.geom.QuadCurve2D$Double",
            "java.awt.geom.QuadCurve2D$Float",
            "java.awt.geom.Rectangle2D$Double",
            "java.awt.geom.Rectangle2D$Float",
            "java.awt.geom.RoundRectangle2D$Double",
            "java.awt.geom.RoundRectangle2D$Float",
            "java.sql.Date",
            "java.sql.Time",
            "java.sql.Timestamp");

    private ObjectBytes() {}

    /// Thrown if objects cannot be sent, or if the objects of a message cannot be read. The message contains
    /// the reason.
    public static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /// Writes the objects at these indices.
    public static byte[] of(@Nullable Object[] objects, int[] places) throws Refused {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        int at = -1;
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeInt(places.length);
            for (int place : places) {
                at = place;
                out.writeObject(objects[place]);
            }
        } catch (IOException e) {
            Object object = at < 0 ? null : objects[at];
            throw new Refused(
                    "the object at " + at + " of the array, "
                            + (object == null
                                    ? "null"
                                    : "a " + object.getClass().getName())
                            + ", cannot be serialized: " + e,
                    e);
        }
        return bytes.toByteArray();
    }

    /// Stores the objects at the first of these indices, and returns their number.
    public static int into(byte[] bytes, @Nullable Object[] objects, int[] places) throws Refused {
        Refusing filter = new Refusing();
        try (ObjectInputStream in = new Filtered(new ByteArrayInputStream(bytes), filter)) {
            int count = in.readInt();
            if (count > places.length) {
                throw new Refused(
                        "the message holds " + count + " objects but the capacity of the buffer is " + places.length,
                        null);
            }
            for (int i = 0; i < count; i++) put(objects, places[i], in.readObject());
            return count;
        } catch (IOException | ClassNotFoundException e) {
            String refused = filter.refused;
            if (refused == null) throw new Refused("the objects of the message cannot be read: " + e, e);
            throw new Refused(
                    "the message holds a " + refused + ", which is not a class of the program or a value of"
                            + " the JDK; --jvm=-D" + PROPERTY + "=off lets every class in",
                    e);
        }
    }

    private static void put(@Nullable Object[] objects, int place, @Nullable Object object) throws Refused {
        try {
            objects[place] = object;
        } catch (ArrayStoreException e) {
            throw new Refused(
                    "the message holds a " + e.getMessage() + " but the buffer is a "
                            + objects.getClass().getTypeName(),
                    e);
        }
    }

    /// Returns whether a message may contain objects of this class.
    static boolean isLetIn(Class<?> type) {
        Class<?> element = type;
        while (element.isArray()) element = element.componentType();
        if (element.isPrimitive()) return true;
        ClassLoader loader = element.getClassLoader();
        if (loader == null || loader == ClassLoader.getPlatformClassLoader()) {
            return element.getModule() == Object.class.getModule()
                    ? VALUES.contains(element.getPackageName())
                    : EXTERNAL_VALUES.contains(element.getName());
        }
        return true;
    }

    /// Accepts permitted classes, and records the first refused one.
    private static final class Refusing implements ObjectInputFilter {
        @Nullable
        String refused;

        @Override
        public Status checkInput(FilterInfo info) {
            Class<?> type = info.serialClass();
            if (type == null) return Status.UNDECIDED;
            if (isLetIn(type)) return Status.ALLOWED;
            refused = type.getName();
            return Status.REJECTED;
        }
    }

    /// Resolves classes with the program's class loader.
    private static final class Filtered extends ObjectInputStream {
        private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

        Filtered(InputStream in, ObjectInputFilter own) throws IOException {
            super(in);
            if (System.getProperty(PROPERTY, "").equals("off")) return;
            ObjectInputFilter ofJvm = ObjectInputFilter.Config.getSerialFilter();
            setObjectInputFilter(ofJvm == null ? own : ObjectInputFilter.merge(own, ofJvm));
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass of) throws IOException, ClassNotFoundException {
            try {
                return Class.forName(of.getName(), false, loader);
            } catch (ClassNotFoundException e) {
                return super.resolveClass(of); // includes the primitive types
            }
        }
    }
}
