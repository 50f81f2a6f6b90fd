import { type ClassValue, clsx } from 'clsx';

/** What a class sets, where its first words don't say so. The first pattern that fits counts. */
const PROPERTIES: readonly (readonly [RegExp, string])[] = [
  [/^(block|inline|inline-block|flex|inline-flex|grid|table|contents|hidden)$/, 'display'],
  [/^(static|fixed|absolute|relative|sticky)$/, 'position'],
  [/^(not-)?sr-only$/, 'sr-only'],
  [/^(no-)?underline$/, 'text-decoration'],
  [/^(in)?visible$/, 'visibility'],
  [/^flex-(row|col)(-reverse)?$/, 'flex-direction'],
  [/^flex-(no)?wrap$/, 'flex-wrap'],
  [/^text-(left|center|right)$/, 'text-align'],
  [/^text-balance$/, 'text-wrap'],
  [/^text-(xs|sm|base|lg|\d?xl|\[[\d.]+\w+\])$/, 'font-size'],
  [/^font-(normal|medium|semibold|bold)$/, 'font-weight'],
  [/^break-(all|words)$/, 'word-break'],
  [/^border(-\d+)?$/, 'border-width'],
  [/^border-([xytrbl])(-\d+)?$/, 'border-$1'],
  [/^border-(solid|dashed)$/, 'border-style'],
  [/^border(-[xytrbl])?-.+$/, 'border-color$1'],
  [/^divide-[xy]$/, 'divide-width'],
  [/^outline(-\d+)?$/, 'outline-width'],
  [/^outline-none$/, 'outline-style'],
  [/^stroke-\d+$/, 'stroke-width'],
  [/^(bg|text|whitespace|cursor)-.+$/, '$1'],
  // All before the value, as in `min-w-0`, `max-h-[50dvh]` and `-mt-1`.
  [/^-?(.+?)-(\[.*\]|\(.*\)|[^-]+)$/, '$1'],
];

/** The properties that another one sets as well. */
const PARTS: Readonly<Record<string, string>> = {
  p: 'px py pt pr pb pl',
  px: 'pl pr',
  py: 'pt pb',
  m: 'mx my mt mr mb ml',
  mx: 'ml mr',
  my: 'mt mb',
  inset: 'inset-x inset-y top right bottom left',
  'inset-x': 'left right',
  'inset-y': 'top bottom',
  'border-width': 'border-x border-y border-t border-r border-b border-l',
  'border-x': 'border-l border-r',
  'border-y': 'border-t border-b',
  'border-color': 'border-color-t border-color-r border-color-b border-color-l',
  rounded: 'rounded-t rounded-r rounded-b rounded-l',
  gap: 'gap-x gap-y',
  size: 'w h',
  overflow: 'overflow-x overflow-y',
  flex: 'basis grow shrink',
  'font-size': 'leading',
  'line-clamp': 'display overflow',
};

/** The states and widths that a class is for, as `hover:` and `sm:`. */
const VARIANTS = /^(?:(?:[^:[\]()]|\[(?:[^[\]]|\[[^\]]*\])*\]|\([^)]*\))+:)*/;

function propertyOf(utility: string): string {
  const [pattern, property] = PROPERTIES.find(([fits]) => fits.test(utility)) ?? [utility, utility];
  return utility.replace(pattern, property);
}

function merge(classes: string): string {
  const set = new Set<string>();
  const kept: string[] = [];
  for (const name of classes.split(' ').reverse()) {
    const variants = VARIANTS.exec(name)?.[0] ?? '';
    const property = propertyOf(name.slice(variants.length));
    if (set.has(variants + property)) continue;
    kept.unshift(name);
    set.add(variants + property);
    for (const part of PARTS[property]?.split(' ') ?? []) set.add(variants + part);
  }
  return kept.join(' ');
}

const MERGED_MAX = 1_000;
const merged = new Map<string, string>();

/**
 * Class names joined; where two of them set the same property, the last one wins. It knows the classes
 * that the product has, and weighs a tenth of the package that knows all of Tailwind's.
 */
export function cx(...given: ClassValue[]): string {
  const classes = clsx(given);
  const known = merged.get(classes);
  if (known !== undefined) return known;
  if (merged.size >= MERGED_MAX) merged.clear();
  const result = merge(classes);
  merged.set(classes, result);
  return result;
}
