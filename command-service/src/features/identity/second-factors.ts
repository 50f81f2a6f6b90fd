import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import {
  SecondFactorIsOn,
  SecondFactorNotBegun,
  WrongCode,
} from '@tallyhand/contracts/features/identity/identity.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import type { SignedIn } from './sign-ins.ts';
import { userStream } from './user.decider.ts';

const RECOVERY_CODES = 10;
/** Without letters and digits that look alike. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_LENGTH = 10;

type Factor = { factor_id: string; sealed: Buffer };

/** Codes of an authenticator beside the password. Secrets are sealed, recovery codes hashed. */
export class SecondFactors {
  readonly #kit: Pick<Kit, 'pool' | 'box'>;
  readonly #users;

  constructor(kit: Kit) {
    this.#kit = kit;
    this.#users = kit.streams.of(userStream);
  }

  async isOn(userId: string): Promise<boolean> {
    return (await this.#find(userId, 'on')) !== null;
  }

  /** Replaces one that was begun and never confirmed. */
  async begin(userId: string, account: string) {
    if (await this.#find(userId, 'on')) return SecondFactorIsOn({});
    const { pool, box } = this.#kit;
    const factorId = newId();
    const secret = newSecret();
    await pool.query(
      'delete from operational.second_factors where user_id = $1 and enabled_at is null',
      [userId],
    );
    await pool.query(
      `insert into operational.second_factors (factor_id, user_id, sealed) values ($1, $2, $3)`,
      [factorId, userId, box.seal(secret, sealingContext(factorId))],
    );
    return { secret: base32(secret), uri: otpauthUri(secret, account) };
  }

  /** The first code turns it on. Returns the recovery codes. */
  async confirm(
    context: CommandContext,
    { userId, organizationId }: SignedIn,
    code: string,
  ): Promise<string[] | Refusal> {
    const factor = await this.#find(userId, 'begun');
    if (!factor) return SecondFactorNotBegun({});
    if (!(await this.#useCode(factor, code, context.now))) return WrongCode({});
    const { factor_id: factorId } = factor;
    const recoveryCodes = await this.#renewRecoveryCodes(factorId);
    const data = { userId, organizationId, factorId };
    await this.#users.send(userId, { type: 'EnableSecondFactor', data }, context);
    await this.#kit.pool.query(
      'update operational.second_factors set enabled_at = now() where factor_id = $1',
      [factorId],
    );
    return recoveryCodes;
  }

  /** Null if the code is right, or the account has no second factor. */
  async refuseWrongCode(userId: string, code: string, now: Date): Promise<Refusal | null> {
    const factor = await this.#find(userId, 'on');
    return !factor || (await this.#useCode(factor, code, now)) ? null : WrongCode({});
  }

  async remove(context: CommandContext, { userId, organizationId }: SignedIn): Promise<void> {
    const factor = await this.#find(userId, 'on');
    if (!factor) return;
    const { factor_id: factorId } = factor;
    const data = { userId, organizationId, factorId };
    // The event first: if the process dies after it, the member can repeat the call.
    await this.#users.send(userId, { type: 'DisableSecondFactor', data }, context);
    const sql = 'delete from operational.second_factors where factor_id = $1';
    await this.#kit.pool.query(sql, [factorId]);
  }

  async #find(userId: string, state: 'on' | 'begun'): Promise<Factor | null> {
    const { rows } = await this.#kit.pool.query<Factor>(
      `select factor_id, sealed from operational.second_factors
       where user_id = $1 and (enabled_at is not null) = $2 order by made_at desc limit 1`,
      [userId, state === 'on'],
    );
    return rows[0] ?? null;
  }

  /** Uses up a code of the authenticator or a recovery code. False if it is wrong or was used. */
  async #useCode({ factor_id, sealed }: Factor, code: string, now: Date): Promise<boolean> {
    const { pool, box } = this.#kit;
    const step = stepOf(box.open(sealed, sealingContext(factor_id)), plain(code), now);
    const { rowCount } =
      step === null
        ? await pool.query(
            `update operational.recovery_codes set used_at = now()
             where factor_id = $1 and code_hash = $2 and used_at is null`,
            [factor_id, this.#hashOf(factor_id, code)],
          )
        : await pool.query(
            `update operational.second_factors set last_step = $2
             where factor_id = $1 and last_step < $2`,
            [factor_id, step],
          );
    return rowCount === 1;
  }

  /** Replaces all recovery codes. Only their hashes are stored. */
  async #renewRecoveryCodes(factorId: string): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    await this.#kit.pool.query(
      `with gone as (delete from operational.recovery_codes where factor_id = $1)
       insert into operational.recovery_codes (factor_id, code_hash)
       select $1, unnest($2::text[])`,
      [factorId, codes.map((code) => this.#hashOf(factorId, code))],
    );
    return codes;
  }

  #hashOf(factorId: string, code: string): string {
    return this.#kit.box.keyedHash('recovery-code', `${factorId} ${plain(code)}`);
  }
}

const sealingContext = (factorId: string) => `second-factor ${factorId}`;

const newRecoveryCode = () => {
  const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]);
  return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`;
};
const plain = (code: string) => code.replace(/[\s-]/g, '').toLowerCase();

/** Twenty bytes, as RFC 4226 recommends; codes of six digits that change every 30 seconds. */
const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
const DIGITS = 6;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newSecret = () => randomBytes(SECRET_BYTES);

/** RFC 4648 without padding, as authenticators expect it. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

export const stepAt = (time: Date) => Math.floor(time.getTime() / 1000 / STEP_SECONDS);

/** The code of a step of time (RFC 6238 with SHA-1, which all authenticators know). */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** The step that a code belongs to: clocks may differ by one. Null if it fits none. */
export function stepOf(secret: Uint8Array, code: string, now: Date): number | null {
  const given = Buffer.from(code);
  if (given.length !== DIGITS) return null;
  const present = stepAt(now);
  const isCodeOf = (step: number) => timingSafeEqual(Buffer.from(codeAt(secret, step)), given);
  return [present, present - 1, present + 1].find(isCodeOf) ?? null;
}

/** What an authenticator reads from a QR code. */
export function otpauthUri(secret: Uint8Array, account: string): string {
  const issuer = 'Tallyhand';
  const label = encodeURIComponent(`${issuer}:${account}`);
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${issuer}`;
}
