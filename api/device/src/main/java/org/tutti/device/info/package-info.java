/// What a device tells about itself before it is opened.
@NullMarked
package org.tutti.device.info;

import org.jspecify.annotations.NullMarked;
