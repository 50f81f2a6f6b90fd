import { hash } from 'node:crypto';
import { IdempotencyKeyReused } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import type pg from 'pg';

/** A caller that died leaves its claim behind; after this time a repeat takes it over. */
const CLAIM_SECONDS = 130;
const WAIT_MS = 50;
const WAITS_MAX = (CLAIM_SECONDS * 1000) / WAIT_MS;

export type Answer = {
  readonly status: number;
  /** JSON text, or null for an answer without a body. */
  readonly body: string | null;
  readonly position: string | null;
};

/** What a key stands for: this very call with this very body. */
export const requestHash = (call: string, params: unknown, body: unknown) =>
  hash('sha256', `${call} ${canonicalJson(params ?? null)} ${canonicalJson(body ?? null)}`, 'hex');

export type Idempotency = {
  /**
   * Runs `work` once for a key; a repeat gets the first answer, and waits for it while the first
   * is under way. Another request under the same key is refused. Faults are not kept.
   */
  once(
    organizationId: string,
    key: string,
    request: string,
    work: () => Promise<Answer>,
  ): Promise<Answer | Refusal>;
};

export function postgresIdempotency(pool: pg.Pool): Idempotency {
  async function claim(organizationId: string, key: string, request: string): Promise<boolean> {
    const { rowCount } = await pool.query(
      `insert into operational.idempotency as i (organization_id, key, request_hash)
       values ($1, $2, $3)
       on conflict (organization_id, key) do update set created_at = now()
       where i.status is null and i.request_hash = excluded.request_hash
         and i.created_at < now() - make_interval(secs => $4)`,
      [organizationId, key, request, CLAIM_SECONDS],
    );
    return rowCount === 1;
  }

  async function find(organizationId: string, key: string) {
    const { rows } = await pool.query<{
      request_hash: string;
      status: number | null;
      body: string | null;
      position: string | null;
    }>(
      `select request_hash, status, body, position from operational.idempotency
       where organization_id = $1 and key = $2`,
      [organizationId, key],
    );
    return rows[0] ?? null;
  }

  async function run(
    organizationId: string,
    key: string,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      const answer = await work();
      await pool.query(
        `update operational.idempotency set status = $3, body = $4, position = $5
         where organization_id = $1 and key = $2`,
        [organizationId, key, answer.status, answer.body, answer.position],
      );
      return answer;
    } catch (error) {
      await pool.query(
        `delete from operational.idempotency
         where organization_id = $1 and key = $2 and status is null`,
        [organizationId, key],
      );
      throw error;
    }
  }

  return {
    async once(organizationId, key, request, work) {
      for (let waits = 0; waits < WAITS_MAX; waits += 1) {
        if (await claim(organizationId, key, request)) return run(organizationId, key, work);
        const found = await find(organizationId, key);
        if (found && found.request_hash !== request) return IdempotencyKeyReused({});
        if (found && found.status !== null) return { ...found, status: found.status };
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      }
      throw new Error('A repeated call waited too long for the first');
    },
  };
}
