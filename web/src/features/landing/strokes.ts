/** One stroke of a tally as it floats: lengths in units of the scene, angles in radians. */
export type Stroke = {
  /** The fifth one, drawn over the other four. */
  readonly isAcross: boolean;
  readonly at: readonly [x: number, y: number, z: number];
  readonly tilt: number;
  readonly length: number;
  readonly radius: number;
  /** Where in its slow movement it begins, so that no two move alike. */
  readonly phase: number;
};

type Tally = { readonly x: number; readonly y: number; readonly z: number; readonly size: number };

/** Three tallies of five, one near and two further away. */
const TALLIES: readonly Tally[] = [
  { x: 0.1, y: -0.35, z: 0, size: 1.5 },
  { x: 2.15, y: 1.75, z: -2.2, size: 1.15 },
  { x: -2.35, y: 1.95, z: -3.4, size: 1.05 },
];
const UPRIGHT = 4;
const GAP = 0.55;
const LENGTH = 1.9;
/** As in the mark: from below on the left to above on the right. */
const ACROSS_TILT = -Math.PI / 2 + 0.47;
/** Far from any ratio of small numbers: phases never fall together. */
const GOLDEN_ANGLE = 2.399963;

const strokesOf = ({ x, y, z, size }: Tally, tally: number): Stroke[] =>
  Array.from({ length: UPRIGHT + 1 }, (_, index) => {
    const isAcross = index === UPRIGHT;
    const offset = isAcross ? 0 : (index - (UPRIGHT - 1) / 2) * GAP;
    // By hand: no stroke stands quite as the one beside it.
    const waver = Math.sin((tally * (UPRIGHT + 1) + index) * GOLDEN_ANGLE);
    return {
      isAcross,
      at: [
        x + offset * size,
        y + (isAcross ? 0 : waver * 0.08 * size),
        z + (isAcross ? 0.28 * size : 0),
      ],
      tilt: isAcross ? ACROSS_TILT : waver * 0.07,
      length: LENGTH * size * (isAcross ? 1.22 : 1 + waver * 0.06),
      radius: 0.1 * size,
      phase: (tally * (UPRIGHT + 1) + index) * GOLDEN_ANGLE,
    };
  });

/** The fifteen shapes behind the landing page's first words. */
export const STROKES: readonly Stroke[] = TALLIES.flatMap(strokesOf);

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
