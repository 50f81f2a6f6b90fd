/** A row as in a file. If the line is not an exported one, there is no row. */
export type FoundRow = {
  readonly line: number;
  readonly row: { readonly sequence: number; readonly hashes: string } | null;
};

/** A row as in the proof: its hashes, and its line. */
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

/** How far ahead a row is searched; rows that moved further are recognized in the end. */
const WINDOW = 64;
/** Maximum number of remembered reports; the rest is counted. */
const KEPT_MAX = 1_000;

/**
 * Compares rows with the proof, both in order, in constant memory. After a difference it continues
 * where both agree again, so that one change is reported as one.
 */
export async function compareRows(
  found: AsyncIterator<FoundRow>,
  expected: AsyncIterator<ExpectedRow>,
): Promise<{ readonly faults: readonly RowFault[]; readonly unreported: number }> {
  const rows = new Ahead(found);
  const leaves = new Ahead(expected);
  const reported = new Collection<RowFault>();
  const missing = new Collection<ExpectedRow>();
  const strays = new Collection<FoundRow>();
  /** Whether to skip the current item, because the expected one is nearer this way. */
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
      if (next.hashes !== here.row.hashes) reported.add(faultOf('altered', next, here));
      leaves.drop();
      rows.drop();
    } else if (!next || (here && (await isStray(here, next)))) {
      if (here) strays.add(here);
      rows.drop();
    } else if (here && !here.row) {
      reported.add(faultOf('unreadable', next, here));
      leaves.drop();
      rows.drop();
    } else {
      missing.add(next);
      leaves.drop();
    }
  }
  const rest = matched(missing.kept, strays.kept);
  return {
    faults: [...reported.kept, ...rest].sort(byPlace),
    unreported: reported.unreported + missing.unreported + strays.unreported,
  };
}

/** How many rows ahead one with this sequence is. */
async function distanceTo<T>(
  items: Ahead<T>,
  sequence: number | undefined,
  sequenceOf: (item: T) => number | undefined,
): Promise<number> {
  for (let distance = 1; sequence !== undefined && distance < WINDOW; distance += 1) {
    const item = await items.at(distance);
    if (!item) break;
    if (sequenceOf(item) === sequence) return distance;
  }
  return Number.POSITIVE_INFINITY;
}

/** A row that is missing in one place and present in another has moved. */
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

/** The first items of many, and the number of the others. */
class Collection<T> {
  readonly kept: T[] = [];
  unreported = 0;

  add(item: T): void {
    if (this.kept.length < KEPT_MAX) this.kept.push(item);
    else this.unreported += 1;
  }
}

/** The next items, some of which can be inspected before they are consumed. */
class Ahead<T> {
  readonly #items: AsyncIterator<T>;
  readonly #buffer: T[] = [];
  #isOver = false;

  constructor(items: AsyncIterator<T>) {
    this.#items = items;
  }

  async at(index: number): Promise<T | undefined> {
    while (this.#buffer.length <= index && !this.#isOver) {
      const { value, done } = await this.#items.next();
      if (done) this.#isOver = true;
      else this.#buffer.push(value);
    }
    return this.#buffer[index];
  }

  drop(): void {
    this.#buffer.shift();
  }
}
