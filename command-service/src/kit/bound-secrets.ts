import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import type { SealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import type pg from 'pg';
import type { Kit } from './app.ts';

/** The table of each kind of owner. */
const PLACES = {
  tool: { table: 'operational.tool_credentials', owner: 'tool_id', context: 'tool-credentials' },
  mailbox: {
    table: 'operational.mailbox_credentials',
    owner: 'mailbox_id',
    context: 'mailbox-credentials',
  },
  connection: {
    table: 'operational.connection_keys',
    owner: 'connection_id',
    context: 'connection-keys',
  },
} as const;

type Own = { readonly ownerId: string; readonly id: string };

/** A secret sealed by a release that did not bind secrets: it must be bound or dropped first. */
export class UnboundSecret extends Error {}

/**
 * Secrets encrypted at rest, each under an id that an event of its owner contains.
 *
 * A secret is sealed together with its binding: plain data that says what it was entered for, such
 * as a host. It opens for an equal binding only: the binding is part of the authenticated context,
 * so a row with an altered binding does not open either. If the sealed value itself names its
 * servers, the binding is null.
 */
export class BoundSecrets {
  readonly #pool: pg.Pool;
  readonly #box: SealedBox;
  readonly #place: (typeof PLACES)[keyof typeof PLACES];

  constructor({ pool, box }: Pick<Kit, 'pool' | 'box'>, kind: keyof typeof PLACES) {
    this.#pool = pool;
    this.#box = box;
    this.#place = PLACES[kind];
  }

  /** Stores a secret under an id that the owner's event names. May be repeated. */
  async keep(
    { organizationId, ...own }: Own & { readonly organizationId: string },
    secret: unknown,
    binding: unknown,
  ) {
    const { table, owner } = this.#place;
    const digest = digestOf(binding);
    await this.#pool.query(
      `insert into ${table} (credentials_id, ${owner}, organization_id, sealed, bound_to)
       values ($1, $2, $3, $4, $5) on conflict (credentials_id) do nothing`,
      [own.id, own.ownerId, organizationId, this.#seal(own, secret, digest), digest],
    );
  }

  /** The secret; null if it is deleted, or bound to something else. */
  async open(own: Own, binding: unknown): Promise<unknown> {
    const row = await this.#find(own);
    const digest = digestOf(binding);
    if (row?.boundTo === null && digest !== null) throw new UnboundSecret();
    return row?.boundTo === digest ? this.#open(own, row.sealed, digest) : null;
  }

  /**
   * Replaces a secret by what `change` returns; one process at a time, for `seconds` at most. Returns
   * the new secret; null if another process replaces it now, or it does not open. For tools only.
   */
  async claimed<T>(
    own: Own,
    binding: unknown,
    seconds: number,
    change: (secret: T) => Promise<T> | T,
  ): Promise<T | null> {
    const { table, owner } = this.#place;
    const digest = digestOf(binding);
    const claim = randomUUID();
    const { rows } = await this.#pool.query<{ sealed: Buffer }>(
      `update ${table} set claim = $4, claimed_until = now() + make_interval(secs => $5)
       where credentials_id = $1 and ${owner} = $2 and bound_to = $3
         and (claim is null or claimed_until < now())
       returning sealed`,
      [own.id, own.ownerId, digest, claim, seconds],
    );
    const row = rows[0];
    if (!row) return null;
    let sealed = row.sealed;
    try {
      const secret = await change(this.#open(own, sealed, digest) as T);
      sealed = this.#seal(own, secret, digest);
      return secret;
    } finally {
      await this.#pool.query(
        `update ${table} set sealed = $3, claim = null, claimed_until = null
         where credentials_id = $1 and claim = $2`,
        [own.id, claim, sealed],
      );
    }
  }

  /** Deletes an owner's secrets except the one that its newest event names; null: all. */
  async forgetOthers(ownerId: string, id: string | null) {
    const { table, owner } = this.#place;
    await this.#pool.query(
      `delete from ${table} where ${owner} = $1 and credentials_id is distinct from $2`,
      [ownerId, id],
    );
  }

  async forget(ownerId: string, ids: readonly string[]) {
    const { table, owner } = this.#place;
    const sql = `delete from ${table} where ${owner} = $1 and credentials_id = any($2::uuid[])`;
    await this.#pool.query(sql, [ownerId, ids]);
  }

  /** Binds a secret that was sealed without a binding. May be repeated. */
  async bind(own: Own, binding: unknown) {
    const { table, owner } = this.#place;
    const row = await this.#find(own);
    if (row?.boundTo !== null) return;
    const digest = digestOf(binding);
    const bytes = this.#seal(own, this.#open(own, row.sealed, null), digest);
    await this.#pool.query(
      `update ${table} set sealed = $3, bound_to = $4
       where credentials_id = $1 and ${owner} = $2 and bound_to is null`,
      [own.id, own.ownerId, bytes, digest],
    );
  }

  /** Deletes an owner's unbound secrets except the one that its newest event names. */
  async forgetUnbound(ownerId: string, id: string | null) {
    const { table, owner } = this.#place;
    await this.#pool.query(
      `delete from ${table}
       where ${owner} = $1 and bound_to is null and credentials_id is distinct from $2`,
      [ownerId, id],
    );
  }

  /** Some owners that still have unbound secrets. */
  async unboundOwners(limit: number): Promise<string[]> {
    const { table, owner } = this.#place;
    const { rows } = await this.#pool.query<{ ownerId: string }>(
      `select distinct ${owner} as "ownerId" from ${table} where bound_to is null limit $1`,
      [limit],
    );
    return rows.map(({ ownerId }) => ownerId);
  }

  async #find({ ownerId, id }: Own) {
    const { table, owner } = this.#place;
    const { rows } = await this.#pool.query<{ sealed: Buffer; boundTo: string | null }>(
      `select sealed, bound_to as "boundTo" from ${table}
       where credentials_id = $1 and ${owner} = $2`,
      [id, ownerId],
    );
    return rows[0];
  }

  #seal(own: Own, secret: unknown, digest: string | null): Buffer {
    return this.#box.seal(Buffer.from(JSON.stringify(secret)), this.#contextOf(own, digest));
  }

  #open(own: Own, bytes: Buffer, digest: string | null): unknown {
    return JSON.parse(this.#box.open(bytes, this.#contextOf(own, digest)).toString('utf8'));
  }

  #contextOf({ ownerId, id }: Own, digest: string | null): string {
    return [this.#place.context, ownerId, id, ...(digest === null ? [] : [digest])].join(' ');
  }
}

/** A hash of a binding. */
export const digestOf = (binding: unknown) =>
  binding === null ? null : createHash('sha256').update(canonicalJson(binding)).digest('hex');
