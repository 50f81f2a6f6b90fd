/** Figures of one kind, by size. */
export type Panel = {
  readonly title: string;
  readonly lines: readonly Line[];
};
export type Line = { readonly name: string; readonly values: readonly number[] };

const COLUMNS = 2;
const [WIDTH, HEIGHT] = [480, 250] as const;
const PLOT = { left: 48, right: 150, top: 44, bottom: 36 } as const;
const NAME_PX = 15;
/** Distinguishable with red-green color blindness, on white and on black. */
const COLORS = ['#2f7fd6', '#d9730d', '#12947f', '#a34fc4'] as const;
const LIGHT = { text: '#3f4652', title: '#14171c', grid: '#e3e6ea', background: '#ffffff' };
const DARK = { text: '#aab2bd', title: '#f0f2f5', grid: '#2c323a', background: '#101418' };
const inked = ({ text, title, grid, background }: typeof LIGHT) =>
  `text { fill: ${text} } .title { fill: ${title} }
.grid { stroke: ${grid} } .background { fill: ${background} }`;
const STYLE = `text { font: 12px system-ui, sans-serif }
.title { font-weight: 600; font-size: 13px }
${inked(LIGHT)}
@media (prefers-color-scheme: dark) { ${inked(DARK)} }`;

/**
 * Panels in two columns, as SVG; no text may need escapes. `sizes` are drawn at equal distances, and
 * each scale begins at 0.
 */
export function chart(title: string, sizes: readonly string[], panels: readonly Panel[]): string {
  const rows = Math.ceil(panels.length / COLUMNS);
  const [width, height] = [COLUMNS * WIDTH, rows * HEIGHT];
  const drawn = panels.map((panel, at) => {
    const [x, y] = [(at % COLUMNS) * WIDTH, Math.floor(at / COLUMNS) * HEIGHT];
    return `<g transform="translate(${x} ${y})">${panelOf(sizes, panel)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">
<title>${title}</title><style>${STYLE}</style><rect class="background" width="${width}" height="${height}"/>
${drawn.join('\n')}
</svg>
`;
}

function panelOf(sizes: readonly string[], { title, lines }: Panel): string {
  const top = niceTop(Math.max(...lines.flatMap(({ values }) => values)));
  const right = WIDTH - PLOT.right;
  const bottom = HEIGHT - PLOT.bottom;
  const x = (at: number) => PLOT.left + ((right - PLOT.left) * at) / Math.max(1, sizes.length - 1);
  const y = (value: number) => bottom - ((bottom - PLOT.top) * value) / top;
  const grid = [0, top / 2, top].map(
    (value) =>
      `<line class="grid" x1="${PLOT.left}" x2="${right}" y1="${y(value)}" y2="${y(value)}"/>` +
      `<text x="${PLOT.left - 6}" y="${y(value) + 4}" text-anchor="end">${value.toLocaleString('en')}</text>`,
  );
  const marks = sizes.map(
    (size, at) => `<text x="${x(at)}" y="${bottom + 18}" text-anchor="middle">${size}</text>`,
  );
  const names = spread(
    lines.map(({ values }) => y(values.at(-1) ?? 0)),
    bottom,
  );
  const drawn = lines.map(({ name, values }, at) => {
    const color = COLORS[at % COLORS.length];
    const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
    const dots = points.map((point) => {
      const [cx, cy] = point.split(',');
      return `<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`;
    });
    const last = values.at(-1)?.toLocaleString('en', { maximumSignificantDigits: 3 });
    return (
      `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>` +
      `${dots.join('')}<text x="${right + 10}" y="${(names[at] ?? 0) + 4}">${name}: ${last}</text>` +
      `<rect x="${right + 3}" y="${(names[at] ?? 0) - 3}" width="4" height="7" fill="${color}"/>`
    );
  });
  return `<text class="title" x="${PLOT.left}" y="24">${title}</text>${[...grid, ...marks, ...drawn].join('')}`;
}

/** The next of 1, 2, 5, 10, … that is no less. */
function niceTop(max: number): number {
  const power = 10 ** Math.floor(Math.log10(max || 1));
  return [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= max) ?? max;
}

/** Heights that differ by a line of text at least, each near its own, and none below `bottom`. */
function spread(heights: readonly number[], bottom: number): number[] {
  const placed: number[] = [];
  const order = heights
    .map((_, at) => at)
    .toSorted((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  let lowest = Number.NEGATIVE_INFINITY;
  for (const at of order) {
    lowest = Math.max(heights[at] ?? 0, lowest + NAME_PX);
    placed[at] = lowest;
  }
  const below = Math.max(0, lowest - bottom);
  return placed.map((height) => height - below);
}
