/// Examines the devices of a machine for `tutti doctor gpu`. The results are written to a file, one line per
/// fact; the doctor reads the file and does not load any of this code.
///
///     tutti doctor gpu ──one process per kind──▶ DeviceSurvey ──▶ backends and libraries, by the spi
///                      ──one job───────────────▶ RankSurvey ──▶ Device.forRank
///                      ◀──────file: SurveyFile──┘
///
/// Rules: this package only collects facts; it does not evaluate or print these. The rest of the module does
/// not use it.
@NullMarked
package org.tutti.device.survey;

import org.jspecify.annotations.NullMarked;
