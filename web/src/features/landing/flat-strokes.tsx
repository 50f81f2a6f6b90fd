import { CAMERA_DISTANCE, HEIGHT_SEEN, STROKES, type Stroke, WIDTH_MIN } from './strokes.ts';

/** The strokes as one still drawing, as they stand before they begin to float. */
export function FlatStrokes() {
  return (
    <svg
      className="size-full animate-fade overflow-visible"
      viewBox={[-WIDTH_MIN / 2, -HEIGHT_SEEN / 2, WIDTH_MIN, HEIGHT_SEEN].join(' ')}
      strokeLinecap="round"
      data-shapes={STROKES.length}
      aria-hidden
    >
      {STROKES.toSorted((a, b) => a.at[2] - b.at[2]).map((stroke) => (
        <line
          key={stroke.phase}
          className={stroke.isAcross ? 'stroke-accent' : 'stroke-text'}
          {...lineOf(stroke)}
        />
      ))}
    </svg>
  );
}

/** As the camera sees it: what is further away is smaller, and up is up. */
function lineOf({ at: [x, y, z], tilt, length, radius }: Stroke) {
  const scale = CAMERA_DISTANCE / (CAMERA_DISTANCE - z);
  const [toX, toY] = [(-Math.sin(tilt) * length) / 2, (Math.cos(tilt) * length) / 2];
  return {
    x1: (x - toX) * scale,
    y1: -(y - toY) * scale,
    x2: (x + toX) * scale,
    y2: -(y + toY) * scale,
    strokeWidth: 2 * radius * scale,
  };
}
