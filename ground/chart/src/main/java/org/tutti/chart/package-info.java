/// Charts of measurements and trainings.
///
///     Chart, RatioChart ──▶ Drawing: SvgDrawing | PngDrawing
///          └──▶ Ruler: the position of a value on an Axis
///
/// Charts are drawn without a library: SVG needs no font and no window system. Only PNG loads `java.desktop`,
/// headless; a program of modules that draws PNG must require this module.
@NullMarked
package org.tutti.chart;

import org.jspecify.annotations.NullMarked;
