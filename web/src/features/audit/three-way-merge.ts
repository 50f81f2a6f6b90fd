import { lineDiff } from './history-rows.ts';

type Values = Readonly<Record<string, unknown>>;

/** A field that another member changed while the user edited it or something beside it. */
export type MergedField = {
  /** Its path: `personaConfig.role`. */
  name: string;
  /** As it was when the user opened the object. */
  opened: unknown;
  theirs: unknown;
  mine: unknown;
  /** Whether the user changed it too, to something else. */
  isOverlap: boolean;
};

export type Merge<V> = {
  /** What the user changed, and for the rest what is stored by now. */
  values: V;
  /** What others changed. */
  fields: MergedField[];
};

/** The values of an object that two people changed, of whom `mine` has precedence. */
export function threeWayMerge<V extends object>(opened: V, mine: V, theirs: V): Merge<V> {
  const fields: MergedField[] = [];
  const values = mergedValues('', opened as Values, mine as Values, theirs as Values, fields);
  return { values: values as V, fields };
}

function mergedValues(
  path: string,
  opened: Values,
  mine: Values,
  theirs: Values,
  fields: MergedField[],
): Values {
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  const merged = [...names].map((key) => {
    const [before, own, other] = [opened[key], mine[key], theirs[key]];
    const name = path + key;
    if (isGroup(before) && isGroup(own) && isGroup(other)) {
      return [key, mergedValues(`${name}.`, before, own, other, fields)];
    }
    if (isSame(before, other)) return [key, own];
    const isOwnChange = !isSame(own, before);
    const isOverlap = isOwnChange && !isSame(own, other);
    fields.push({ name, opened: before, theirs: other, mine: own, isOverlap });
    return [key, isOwnChange ? own : other];
  });
  return Object.fromEntries(merged);
}

const isGroup = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** All values with their paths. */
export const leavesOf = (values: Values, path = ''): [name: string, value: unknown][] =>
  Object.entries(values).flatMap(([key, value]): [string, unknown][] =>
    isGroup(value) ? leavesOf(value, `${path}${key}.`) : [[path + key, value]],
  );

export const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * A value with both changes in it: of a text those of different places, of a list of texts all that
 * either of them added or removed. Undefined where the changes touch each other.
 */
export function withBoth({ opened, mine, theirs }: MergedField): unknown {
  if ([opened, mine, theirs].every(isListOfTexts)) {
    const [before, own, other] = [opened, mine, theirs] as string[][];
    return listWithBoth(before ?? [], own ?? [], other ?? []);
  }
  if (![opened, mine, theirs].every((value) => typeof value === 'string')) return;
  const [before = [], own = [], other = []] = [opened, mine, theirs].map((text) =>
    String(text).split('\n'),
  );
  return linesWithBoth(before, own, other)?.join('\n');
}

const isListOfTexts = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function listWithBoth(opened: readonly string[], mine: readonly string[], theirs: string[]) {
  const kept = theirs.filter((item) => mine.includes(item) || !opened.includes(item));
  const added = mine.filter((item) => !opened.includes(item) && !theirs.includes(item));
  return [...kept, ...added];
}

/** Lines `start` to `end` (exclusive) of a text that others take the place of. */
type Edit = { start: number; end: number; lines: string[] };

function linesWithBoth(
  opened: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
): string[] | undefined {
  const own = editsOf(opened, mine);
  const other = editsOf(opened, theirs).filter((edit) => !own.some((one) => isSame(one, edit)));
  // Edits that only meet may still belong together, so they count as touching.
  const touches = (edit: Edit) => own.some((one) => one.start <= edit.end && edit.start <= one.end);
  if (other.some(touches)) return;
  const lines: string[] = [];
  let at = 0;
  for (const edit of [...own, ...other].toSorted((a, b) => a.start - b.start)) {
    lines.push(...opened.slice(at, edit.start), ...edit.lines);
    at = edit.end;
  }
  return [...lines, ...opened.slice(at)];
}

function editsOf(before: readonly string[], after: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let at = 0;
  let edit: Edit | undefined;
  for (const { sign, text } of lineDiff(before, after)) {
    if (sign === ' ') {
      edit = undefined;
      at++;
      continue;
    }
    if (!edit) {
      edit = { start: at, end: at, lines: [] };
      edits.push(edit);
    }
    if (sign === '+') edit.lines.push(text);
    else edit.end = ++at;
  }
  return edits;
}
