import type { Checkpoint } from './checkpoint.ts';
import type { Manifest } from './manifest.ts';
import type { AuditRow } from './row.ts';
import type { ProofReport } from './verify-contents.ts';

/** The first rows of a log at an instant, according to an authority. */
export type StampedHead = {
  readonly checkpoint: Checkpoint;
  readonly at: Date;
  readonly authority: string;
};

/** A verified file of time-stamps. */
export type Stamps = { readonly heads: readonly StampedHead[] };

/** Between clocks, and between the last row of a checkpoint and its time-stamp. */
const TOLERANCE_MS = 15 * 60_000;
const FAULTS_LISTED_MAX = 20;

type Mark = {
  readonly size: number;
  /** The latest time-stamp so far. */
  readonly since: number;
  /** The earliest time-stamp from here on. */
  readonly until: number;
};

function marksOf(heads: readonly StampedHead[]): readonly Mark[] {
  const sorted = heads.toSorted((a, b) => a.checkpoint.size - b.checkpoint.size);
  let since = 0;
  const marks = sorted.map(({ checkpoint: { size }, at }) => {
    since = Math.max(since, at.getTime());
    return { size, since, until: at.getTime() };
  });
  let until = Number.POSITIVE_INFINITY;
  return marks
    .toReversed()
    .map((mark) => {
      until = Math.min(until, mark.until);
      return { ...mark, until };
    })
    .toReversed();
}

/**
 * Compares the times of rows, which come in their order, with the time-stamps: what was not there
 * when the log was stamped can't be from before, and what was can't be from later.
 */
export class RowTimes {
  readonly #marks: readonly Mark[];
  readonly #faults: string[] = [];
  /** The first mark that has the row. */
  #next = 0;

  constructor({ heads }: Stamps) {
    this.#marks = marksOf(heads);
  }

  add({ sequence, at }: Pick<AuditRow, 'sequence' | 'at'>): void {
    while ((this.#marks[this.#next]?.size ?? sequence) < sequence) this.#next += 1;
    const [before, after] = [this.#marks[this.#next - 1], this.#marks[this.#next]];
    const time = Date.parse(at);
    if (before && time < before.since - TOLERANCE_MS) {
      this.#report(sequence, at, 'was not yet in the log', before.since);
    } else if (after && time > after.until + TOLERANCE_MS) {
      this.#report(sequence, at, 'was already in the log', after.until);
    }
  }

  faults(): readonly string[] {
    return this.#faults;
  }

  #report(sequence: number, at: string, what: string, stampedMs: number): void {
    if (this.#faults.length === FAULTS_LISTED_MAX) return;
    const stamped = new Date(stampedMs).toISOString();
    this.#faults.push(
      `Row ${sequence} is dated ${at}, but it ${what} at the time-stamp of ${stamped}.`,
    );
  }
}

/** What of the stamped rows the export contradicts. */
export function stampFaults(
  { heads }: Stamps,
  { manifest, proof }: { readonly manifest: Manifest; readonly proof: ProofReport },
): string[] {
  const faults: string[] = [];
  const longer = heads.filter(({ checkpoint }) => checkpoint.size > manifest.treeSize);
  const longest = longer.at(-1);
  if (longest) {
    faults.push(
      `The log had ${longest.checkpoint.size} rows at ${longest.at.toISOString()} and has ${manifest.treeSize} here: rows were removed, or this export is older than ${longer.length} of the time-stamps.`,
    );
  }
  for (const { checkpoint, at } of heads) {
    const { organizationId, size, root } = checkpoint;
    const time = at.toISOString();
    if (organizationId !== manifest.organization.id) {
      return [`The time-stamps are of another organization, ${organizationId}.`];
    }
    if (size > manifest.treeSize) continue;
    if (!proof.roots.has(size)) {
      faults.push(
        `The export leaves out rows around ${size}, so it can't be compared with the time-stamp of ${time}. Use one of all rows.`,
      );
    } else if (proof.roots.get(size) !== root) {
      faults.push(
        `The log was rewritten: its first ${size} rows are not those that were time-stamped at ${time}.`,
      );
    }
  }
  return faults;
}

export function stampSummary({ heads }: Stamps): string {
  const [first, last] = [heads[0], heads.at(-1)];
  const [from, to] = [first, last].map(
    (head) => `its first ${head?.checkpoint.size} rows at ${head?.at.toISOString()}`,
  );
  const many = `The log has the rows of all ${heads.length} time-stamps of ${last?.authority}`;
  return heads.length === 1
    ? `The log has what ${last?.authority} stamped: ${to}.`
    : `${many}: ${from}, ${to}.`;
}
