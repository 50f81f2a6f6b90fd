/** A row as it stands in a file. Where the line is none that was exported, there is no row. */
export type FoundRow = {
  readonly line: number;
  readonly row: { readonly sequence: number; readonly hashes: string } | null;
};

/** A row as the proof has it: its hashes, and the line that says so. */
export type ExpectedRow = {
  readonly line: number;
  readonly sequence: number;
  readonly hashes: string;
};

/** Something that is not as it was exported. Lines are null where there is none. */
export type RowFault = {
  readonly kind: 'altered' | 'unreadable' | 'moved' | 'missing' | 'added';
  readonly sequence: number | null;
  readonly rowLine: number | null;
  readonly proofLine: number | null;
};

/** How far ahead a row is looked for; rows that moved further are recognised in the end. */
const WINDOW = 64;
/** What is remembered to be told; the rest is counted. */
const KEPT_MAX = 1_000;

/**
 * Compares rows with the proof, both in their order, in constant memory. After a difference it goes
 * on where both agree again, so that one change is told as one.
 */
export async function compareRows(
  found: AsyncIterator<FoundRow>,
  expected: AsyncIterator<ExpectedRow>,
): Promise<{ readonly faults: readonly RowFault[]; readonly untold: number }> {
  const rows = ahead(found);
  const leaves = ahead(expected);
  const told = collection<RowFault>();
  const missing = collection<ExpectedRow>();
  const strays = collection<FoundRow>();
  /** Whether to pass over what stands here, because what should is nearer than the other way round. */
  async function isStray(here: FoundRow, next: ExpectedRow): Promise<boolean> {
    const toNext = await distanceTo(rows, next.sequence, ({ row }) => row?.sequence);
    if (toNext === Number.POSITIVE_INFINITY) return false;
    return toNext <= (await distanceTo(leaves, here.row?.sequence, ({ sequence }) => sequence));
  }
  for (;;) {
    const next = await leaves.at(0);
    const here = await rows.at(0);
    if (!next && !here) break;
    if (next?.sequence !== undefined && next.sequence === here?.row?.sequence) {
      if (next.hashes !== here.row.hashes) told.add(faultOf('altered', next, here));
      leaves.drop();
      rows.drop();
    } else if (!next || (here && (await isStray(here, next)))) {
      if (here) strays.add(here);
      rows.drop();
    } else if (here && !here.row) {
      told.add(faultOf('unreadable', next, here));
      leaves.drop();
      rows.drop();
    } else {
      missing.add(next);
      leaves.drop();
    }
  }
  const rest = matched(missing.kept, strays.kept);
  return {
    faults: [...told.kept, ...rest].sort(byPlace),
    untold: told.untold() + missing.untold() + strays.untold(),
  };
}

/** How many rows further on one with this sequence stands. */
async function distanceTo<T>(
  { at }: Ahead<T>,
  sequence: number | undefined,
  sequenceOf: (item: T) => number | undefined,
): Promise<number> {
  for (let distance = 1; sequence !== undefined && distance < WINDOW; distance += 1) {
    const item = await at(distance);
    if (!item) break;
    if (sequenceOf(item) === sequence) return distance;
  }
  return Number.POSITIVE_INFINITY;
}

/** A row that is missing in one place and stands in another has moved. */
function matched(missing: readonly ExpectedRow[], strays: readonly FoundRow[]): RowFault[] {
  const gone = new Map(missing.map((row) => [row.sequence, row]));
  const faults = strays.map((stray) => {
    const sequence = stray.row?.sequence ?? 0;
    const place = gone.get(sequence);
    if (!place) return faultOf('added', null, stray);
    gone.delete(sequence);
    return faultOf(place.hashes === stray.row?.hashes ? 'moved' : 'altered', place, stray);
  });
  return [...faults, ...[...gone.values()].map((row) => faultOf('missing', row, null))];
}

const faultOf = (
  kind: RowFault['kind'],
  expected: ExpectedRow | null,
  found: FoundRow | null,
): RowFault => ({
  kind,
  sequence: expected?.sequence ?? found?.row?.sequence ?? null,
  rowLine: found?.line ?? null,
  proofLine: expected?.line ?? null,
});

const byPlace = (a: RowFault, b: RowFault) =>
  (a.sequence ?? 0) - (b.sequence ?? 0) || (a.rowLine ?? 0) - (b.rowLine ?? 0);

function collection<T>() {
  const kept: T[] = [];
  let untold = 0;
  return {
    kept,
    untold: () => untold,
    add(item: T): void {
      if (kept.length < KEPT_MAX) kept.push(item);
      else untold += 1;
    },
  };
}

type Ahead<T> = ReturnType<typeof ahead<T>>;

/** The items that come next, of which some can be looked at before they are taken. */
function ahead<T>(items: AsyncIterator<T>) {
  const buffer: T[] = [];
  let isOver = false;
  return {
    async at(index: number): Promise<T | undefined> {
      while (buffer.length <= index && !isOver) {
        const { value, done } = await items.next();
        if (done) isOver = true;
        else buffer.push(value);
      }
      return buffer[index];
    },
    drop(): void {
      buffer.shift();
    },
  };
}
