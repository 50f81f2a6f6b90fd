import { checkpointIn, isLink } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import { Frontier } from '@tallyhand/service-kit/audit-bundle/merkle';
import type { PublicKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import { type SignedText, signatureFault } from '@tallyhand/service-kit/audit-bundle/signed-text';
import type pg from 'pg';
import { checkpointsAfter, type StoredCheckpoint } from './audit-checkpoints.ts';
import type { LogTree } from './log-trees.ts';

/** Of each log, so that many logs with long histories need little memory. */
const CHECKPOINTS_AT_ONCE = 8;

/** The entries among which a log differs from what was computed or signed of it. */
export type LogDifference = {
  readonly organizationId: string;
  readonly first: number;
  readonly last: number;
};

export type LogMarks = {
  readonly pool: pg.Pool;
  readonly organizationId: string;
  readonly tree: LogTree | undefined;
  /** Later checkpoints may be of events that the leaves do not have. */
  readonly madeBefore: Date;
  /** That may have signed. */
  readonly keys: readonly PublicKey[];
};

/**
 * Compares the leaves of one log, in their order, with its tree and all of its signed checkpoints.
 */
export class LogCheck {
  readonly #marks: LogMarks;
  readonly #kept: Frontier;
  readonly #tree = new Frontier();
  #waiting: StoredCheckpoint[] = [];
  #isRead = false;
  #lastRead = 0;
  #link: SignedText | null = null;
  #number: number | null = null;
  #isKeyKnown = false;
  /** Up to where everything agreed. */
  #agreed = 0;
  #difference: LogDifference | null = null;
  checkpoints = 0;

  constructor(marks: LogMarks) {
    this.#marks = marks;
    this.#kept = new Frontier(marks.tree?.frontier);
  }

  /** How many leaves it has. */
  get size(): number {
    return this.#tree.size;
  }

  /** How many leaves the tree has. */
  get sizeOfTree(): number {
    return this.#kept.size;
  }

  async add(leaf: Buffer): Promise<void> {
    this.#tree.append(leaf);
    const { size } = this.#tree;
    for (let next = await this.#next(); next && next.size <= size; next = await this.#next()) {
      this.#compare(next);
    }
    if (size !== this.#kept.size) return;
    if (!this.#tree.root().equals(this.#kept.root())) this.#differs(size);
    else this.#agreed = size;
  }

  /** The first difference. Checkpoints and trees of more events than the store has are one, too. */
  async end(): Promise<LogDifference | null> {
    for (let next = await this.#next(); next; next = await this.#next()) {
      this.checkpoints += 1;
      this.#waiting.shift();
      this.#differs(next.size);
    }
    if (this.#kept.size > this.#tree.size) this.#differs(this.#kept.size);
    return this.#difference;
  }

  #compare(stored: StoredCheckpoint): void {
    this.checkpoints += 1;
    this.#waiting.shift();
    const { organizationId } = this.#marks;
    const { size, signed } = stored;
    const checkpoint = checkpointIn(signed);
    const isSame =
      checkpoint?.organizationId === organizationId &&
      checkpoint.size === this.#tree.size &&
      checkpoint.root === this.#tree.root().toString('base64');
    if (!isSame || !this.#isSigned(signed, stored.number === null) || !this.#follows(stored))
      this.#differs(size);
    else this.#agreed = size;
  }

  /** Whether a checkpoint is the next of the chain; older ones, before all others, have no place. */
  #follows({ number, link, signed }: StoredCheckpoint): boolean {
    const { organizationId } = this.#marks;
    if (number === null || link === null) return this.#number === null;
    const place = { organizationId, number, previous: this.#link, checkpoint: signed };
    const isNext =
      number === (this.#number ?? 0) + 1 && isLink(link, place) && this.#isSigned(link, false);
    this.#link = link;
    this.#number = number;
    return isNext;
  }

  /**
   * Whether a key of the history signed it. Of checkpoints without a place in the chain, others are
   * accepted before the first of them: the derived key may have changed before there was a history.
   */
  #isSigned(signed: SignedText, isOld: boolean): boolean {
    const fault = signatureFault(this.#marks.keys, signed);
    this.#isKeyKnown ||= fault === null;
    return fault === null || (isOld && fault === 'other-key' && !this.#isKeyKnown);
  }

  #differs(last: number): void {
    const { organizationId } = this.#marks;
    this.#difference ??= { organizationId, first: Math.min(this.#agreed + 1, last), last };
  }

  async #next(): Promise<StoredCheckpoint | undefined> {
    if (this.#waiting.length === 0 && !this.#isRead) {
      const { pool, organizationId, madeBefore } = this.#marks;
      const range = { size: this.#lastRead, madeBefore, max: CHECKPOINTS_AT_ONCE };
      this.#waiting = await checkpointsAfter(pool, organizationId, range);
      this.#isRead = this.#waiting.length < CHECKPOINTS_AT_ONCE;
      this.#lastRead = this.#waiting.at(-1)?.size ?? this.#lastRead;
    }
    return this.#waiting[0];
  }
}

/** The clock that checkpoints carry. */
export async function databaseTime(pool: pg.Pool): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('select now()');
  return rows[0]?.now ?? new Date(0);
}
