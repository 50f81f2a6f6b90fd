import { hash } from 'node:crypto';
import { IdempotencyKeyReused } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { SealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { RefusalError } from '@tallyhand/service-kit/http/problem';
import type pg from 'pg';

/** A claim that is not renewed, because its process died, is taken over by a repeat. */
const CLAIM_SECONDS = 6;
const RENEW_MS = 2_000;
const WAIT_MS = 50;
/** Longer than any call waits for its work. */
const WAIT_SECONDS_MAX = 130;
const WAITS_MAX = (WAIT_SECONDS_MAX * 1000) / WAIT_MS;

export type Answer = {
  readonly status: number;
  /** JSON text, or null for an answer without a body. */
  readonly body: string | null;
  readonly position: string | null;
  /** The stored answer of an earlier call with the same key. */
  readonly isReplayed?: true;
};

/** What a key identifies: this call with this body. */
export type AskedRequest = {
  /** Keyed: a body may hold a weak secret, and a reader of the database could test guesses of it. */
  readonly hash: string;
  /** The hash of 0.1.0. Never stored; rows from before the upgrade are deleted after a day. */
  readonly plainHash: string;
};

export function askedRequest(
  box: SealedBox,
  call: string,
  params: unknown,
  body: unknown,
): AskedRequest {
  const request = `${call} ${canonicalJson(params ?? null)} ${canonicalJson(body ?? null)}`;
  return {
    hash: box.keyedHash('request', request),
    plainHash: hash('sha256', request, 'hex'),
  };
}

/** The id of a key's command. A repeated call gets the same one. */
export const keyedCommandId = (
  { organizationId, userId }: KeyOwner,
  key: string,
  requestHash: string,
) => derivedId(organizationId, userId, `${key} ${requestHash}`);

/** Another process began the call and died; it may have carried it out, under this hash. */
export type TakenUp = { readonly requestHash: string };

/** The owner of the key: two members never share one. */
export type KeyOwner = { readonly organizationId: string; readonly userId: string };

export type Idempotency = {
  /**
   * Runs `work` once per key; a repeat gets the first answer, and waits for it while the first is
   * running. Another request under the same key is refused. Refusals and faults are not stored: the
   * next attempt may find another state.
   */
  once(
    owner: KeyOwner,
    key: string,
    request: AskedRequest,
    work: (takenUp: TakenUp | null) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal>;
};

const isSame = ({ hash, plainHash }: AskedRequest, stored: string) =>
  stored === hash || stored === plainHash;

/** Answers are sealed, because some contain an invitation's token. */
export function postgresIdempotency(pool: pg.Pool, box: SealedBox): Idempotency {
  const contextOf = ({ organizationId, userId }: KeyOwner, key: string) =>
    `idempotent-answer ${organizationId} ${userId} ${key}`;

  /** Null if another call has claimed it. A row that existed has an `xmax`. */
  async function claim(
    { organizationId, userId }: KeyOwner,
    key: string,
    { hash, plainHash }: AskedRequest,
  ): Promise<{ takenUp: TakenUp | null } | null> {
    const { rows } = await pool.query<TakenUp & { isTakenUp: boolean }>(
      `insert into operational.idempotency as i (organization_id, user_id, key, request_hash)
       values ($1, $2, $3, $4)
       on conflict (organization_id, user_id, key) do update set created_at = now()
       where i.status is null and i.request_hash in ($4, $5)
         and i.created_at < now() - make_interval(secs => $6)
       returning xmax::text <> '0' as "isTakenUp", request_hash as "requestHash"`,
      [organizationId, userId, key, hash, plainHash, CLAIM_SECONDS],
    );
    const [row] = rows;
    return row ? { takenUp: row.isTakenUp ? { requestHash: row.requestHash } : null } : null;
  }

  async function find(owner: KeyOwner, key: string) {
    const { organizationId, userId } = owner;
    const { rows } = await pool.query<{
      request_hash: string;
      status: number | null;
      body: Buffer | null;
      position: string | null;
    }>(
      `select request_hash, status, body, position from operational.idempotency
       where organization_id = $1 and user_id = $2 and key = $3`,
      [organizationId, userId, key],
    );
    const row = rows[0];
    if (!row) return null;
    const body = row.body && box.open(row.body, contextOf(owner, key)).toString();
    return { ...row, body };
  }

  async function renew({ organizationId, userId }: KeyOwner, key: string) {
    await pool.query(
      `update operational.idempotency set created_at = now()
       where organization_id = $1 and user_id = $2 and key = $3 and status is null`,
      [organizationId, userId, key],
    );
  }

  /** After a refusal the key is free; after a fault the next attempt resumes the call. */
  async function letGo({ organizationId, userId }: KeyOwner, key: string, isRefused: boolean) {
    const change = isRefused
      ? 'delete from operational.idempotency'
      : `update operational.idempotency set created_at = '-infinity'`;
    await pool.query(
      `${change} where organization_id = $1 and user_id = $2 and key = $3 and status is null`,
      [organizationId, userId, key],
    );
  }

  async function run(
    owner: KeyOwner,
    key: string,
    work: () => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> {
    const { organizationId, userId } = owner;
    const renewing = setInterval(() => renew(owner, key).catch(() => {}), RENEW_MS);
    try {
      const answer = await work();
      if (isRefusal(answer)) {
        await letGo(owner, key, true);
        return answer;
      }
      const body = answer.body && box.seal(Buffer.from(answer.body), contextOf(owner, key));
      await pool.query(
        `update operational.idempotency set status = $4, body = $5, position = $6
         where organization_id = $1 and user_id = $2 and key = $3`,
        [organizationId, userId, key, answer.status, body, answer.position],
      );
      return answer;
    } catch (error) {
      await letGo(owner, key, error instanceof RefusalError);
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  return {
    async once(owner, key, request, work) {
      for (let waits = 0; waits < WAITS_MAX; waits += 1) {
        const claimed = await claim(owner, key, request);
        if (claimed) return run(owner, key, () => work(claimed.takenUp));
        const found = await find(owner, key);
        if (found && !isSame(request, found.request_hash)) return IdempotencyKeyReused({});
        if (found && found.status !== null) {
          const { status, body, position } = found;
          return { status, body, position, isReplayed: true };
        }
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      }
      throw new Error('A repeated call waited too long for the first');
    },
  };
}
