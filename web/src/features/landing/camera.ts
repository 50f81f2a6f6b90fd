/** In degrees, from the lowest to the highest that is seen. */
export const FIELD_OF_VIEW = 32;
/** From the nearest tally, in units of the scene. */
export const CAMERA_DISTANCE = 13;
/** What must fit, in units of the scene at the distance of the nearest tally. */
export const WIDTH_MIN = 6.4;

const HALF_ANGLE = (FIELD_OF_VIEW / 2) * (Math.PI / 180);

/** What is seen from below to above at the distance of the nearest tally. */
export const HEIGHT_SEEN = 2 * Math.tan(HALF_ANGLE) * CAMERA_DISTANCE;

/** Further away where the window is narrow, so that all strokes stay in it. */
export const distanceFor = (aspect: number): number =>
  Math.max(CAMERA_DISTANCE, WIDTH_MIN / 2 / (Math.tan(HALF_ANGLE) * aspect));
