import { hash } from 'node:crypto';
import type pg from 'pg';

export type TokenKind = 'reset' | 'device' | 'undo-email';

export type AccountToken = {
  readonly userId: string;
  readonly organizationId: string;
  readonly changeId: string | null;
};

/** Tokens are long and random, so a fast hash is enough. */
const hashOf = (token: string) => hash('sha256', token, 'hex');

type Row = { user_id: string; organization_id: string; change_id: string | null };
const tokenOf = (row: Row | undefined): AccountToken | null =>
  row
    ? { userId: row.user_id, organizationId: row.organization_id, changeId: row.change_id }
    : null;

const OPEN = 'kind = $1 and used_at is null and expires_at > now()';
const COLUMNS = 'user_id, organization_id, change_id';

/** Tokens of links that work once. Only their hashes are stored. */
export class AccountTokens {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async keep(
    kind: TokenKind,
    token: string,
    { userId, organizationId, changeId, expiresAt }: AccountToken & { readonly expiresAt: Date },
  ): Promise<void> {
    await this.#pool.query(
      `insert into operational.account_tokens
         (token_hash, kind, user_id, organization_id, change_id, expires_at)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
      [hashOf(token), kind, userId, organizationId, changeId, expiresAt],
    );
  }

  async find(kind: TokenKind, token: string): Promise<AccountToken | null> {
    const { rows } = await this.#pool.query<Row>(
      `select ${COLUMNS} from operational.account_tokens where ${OPEN} and token_hash = $2`,
      [kind, hashOf(token)],
    );
    return tokenOf(rows[0]);
  }

  /** Only the first use succeeds. */
  async take(kind: TokenKind, token: string): Promise<AccountToken | null> {
    const { rows } = await this.#pool.query<Row>(
      `update operational.account_tokens set used_at = now()
       where ${OPEN} and token_hash = $2 returning ${COLUMNS}`,
      [kind, hashOf(token)],
    );
    return tokenOf(rows[0]);
  }

  /** Ends this token and the person's later ones. */
  async endSince(token: string): Promise<void> {
    await this.#pool.query(
      `update operational.account_tokens t set used_at = now()
       from operational.account_tokens s
       where s.token_hash = $1 and t.user_id = s.user_id and t.made_at >= s.made_at
         and t.used_at is null`,
      [hashOf(token)],
    );
  }

  async endAll(kind: TokenKind, userId: string): Promise<void> {
    await this.#pool.query(
      `update operational.account_tokens set used_at = now()
       where kind = $1 and user_id = $2 and used_at is null`,
      [kind, userId],
    );
  }

  async madeWithinHour(kind: TokenKind, userId: string): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>(
      `select count(*)::int as count from operational.account_tokens
       where kind = $1 and user_id = $2 and made_at > now() - interval '1 hour'`,
      [kind, userId],
    );
    return rows[0]?.count ?? 0;
  }
}
