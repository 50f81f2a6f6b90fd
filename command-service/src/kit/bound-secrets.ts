import { createHash } from 'node:crypto';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import type { Kit } from './app.ts';

/** Where a kind of owner keeps its secrets. */
const PLACES = {
  tool: { table: 'operational.tool_credentials', owner: 'tool_id', context: 'tool-credentials' },
  mailbox: {
    table: 'operational.mailbox_credentials',
    owner: 'mailbox_id',
    context: 'mailbox-credentials',
  },
} as const;

type Own = { readonly ownerId: string; readonly id: string };

/** A secret that was sealed before secrets were bound: it has to be bound or dropped first. */
export class UnboundSecret extends Error {}

/**
 * Secrets encrypted at rest, each under an id that an event of its owner contains.
 *
 * A secret is sealed together with its binding: plain data that says what it was entered for, such
 * as a host. It opens for an equal binding only: the binding is part of the authenticated context,
 * so a row with an altered binding does not open either. If the sealed value itself names its
 * servers, the binding is null.
 */
export function boundSecrets({ pool, box }: Pick<Kit, 'pool' | 'box'>, kind: keyof typeof PLACES) {
  const { table, owner, context } = PLACES[kind];
  const contextOf = ({ ownerId, id }: Own, digest: string | null) =>
    [context, ownerId, id, ...(digest === null ? [] : [digest])].join(' ');
  const sealed = (own: Own, secret: unknown, digest: string | null) =>
    box.seal(Buffer.from(JSON.stringify(secret)), contextOf(own, digest));
  const opened = (own: Own, bytes: Buffer, digest: string | null): unknown =>
    JSON.parse(box.open(bytes, contextOf(own, digest)).toString('utf8'));
  const find = async ({ ownerId, id }: Own) => {
    const { rows } = await pool.query<{ sealed: Buffer; boundTo: string | null }>(
      `select sealed, bound_to as "boundTo" from ${table}
       where credentials_id = $1 and ${owner} = $2`,
      [id, ownerId],
    );
    return rows[0];
  };

  return {
    /** Keeps a secret under an id that the owner's event names. May be repeated. */
    async keep(
      { organizationId, ...own }: Own & { readonly organizationId: string },
      secret: unknown,
      binding: unknown,
    ) {
      const digest = digestOf(binding);
      await pool.query(
        `insert into ${table} (credentials_id, ${owner}, organization_id, sealed, bound_to)
         values ($1, $2, $3, $4, $5) on conflict (credentials_id) do nothing`,
        [own.id, own.ownerId, organizationId, sealed(own, secret, digest), digest],
      );
    },

    /** The secret; null where it is gone, or belongs to another binding. */
    async open(own: Own, binding: unknown): Promise<unknown> {
      const row = await find(own);
      const digest = digestOf(binding);
      if (row?.boundTo === null && digest !== null) throw new UnboundSecret();
      return row?.boundTo === digest ? opened(own, row.sealed, digest) : null;
    },

    /** Forgets all of an owner but the ones that its newest event names; null: all. */
    async forgetOthers(ownerId: string, id: string | null) {
      await pool.query(
        `delete from ${table} where ${owner} = $1 and credentials_id is distinct from $2`,
        [ownerId, id],
      );
    },

    async forget(ownerId: string, ids: readonly string[]) {
      const sql = `delete from ${table} where ${owner} = $1 and credentials_id = any($2::uuid[])`;
      await pool.query(sql, [ownerId, ids]);
    },

    /** Binds a secret that was sealed without a binding. May be repeated. */
    async bind(own: Own, binding: unknown) {
      const row = await find(own);
      if (row?.boundTo !== null) return;
      const digest = digestOf(binding);
      const bytes = sealed(own, opened(own, row.sealed, null), digest);
      await pool.query(
        `update ${table} set sealed = $3, bound_to = $4
         where credentials_id = $1 and ${owner} = $2 and bound_to is null`,
        [own.id, own.ownerId, bytes, digest],
      );
    },

    /** Forgets the unbound secrets of an owner but the one that its newest event names. */
    async forgetUnbound(ownerId: string, id: string | null) {
      await pool.query(
        `delete from ${table}
         where ${owner} = $1 and bound_to is null and credentials_id is distinct from $2`,
        [ownerId, id],
      );
    },

    /** Some owners that still have unbound secrets. */
    async unboundOwners(limit: number): Promise<string[]> {
      const { rows } = await pool.query<{ ownerId: string }>(
        `select distinct ${owner} as "ownerId" from ${table} where bound_to is null limit $1`,
        [limit],
      );
      return rows.map(({ ownerId }) => ownerId);
    },
  };
}

const digestOf = (binding: unknown) =>
  binding === null ? null : createHash('sha256').update(canonicalJson(binding)).digest('hex');
