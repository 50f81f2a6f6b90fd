/** The colours of the strokes, as `#rrggbb`. */
export type Inks = { readonly text: string; readonly accent: string };

/**
 * The inks of the theme that is shown. Tokens are written in OKLCH, which WebGL does not know: one
 * pixel of each is painted and read back. `element` has the two as its text and border colours.
 */
export function inksOf(element: Element): Inks {
  const { color, borderTopColor } = getComputedStyle(element);
  return { text: asHex(color), accent: asHex(borderTopColor) };
}

function asHex(color: string): string {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return '#808080';
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
