import { randomInt } from 'node:crypto';
import type { Kit } from '../../kit/app.ts';
import { stepOf } from './totp.ts';

const RECOVERY_CODES = 10;
/** Without those that are taken for each other. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_LENGTH = 10;

export type Factor = { factor_id: string; sealed: Buffer };

const newRecoveryCode = () => {
  const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]);
  return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`;
};
const plain = (code: string) => code.replace(/[\s-]/g, '').toLowerCase();

/** What an authenticator's secret is sealed for. */
export const sealingContext = (factorId: string) => `second-factor ${factorId}`;

/** Codes of authenticators, and those for the day that one is lost: each is used once. */
export function factorCodesOf({ pool, box }: Pick<Kit, 'pool' | 'box'>) {
  const hashOf = (factorId: string, code: string) =>
    box.keyedHash('recovery-code', `${factorId} ${plain(code)}`);

  /** Whether a code fits that was not used yet; it is used now. */
  async function take({ factor_id, sealed }: Factor, code: string, now: Date) {
    const step = stepOf(box.open(sealed, sealingContext(factor_id)), plain(code), now);
    const { rowCount } =
      step === null
        ? await pool.query(
            `update operational.recovery_codes set used_at = now()
             where factor_id = $1 and code_hash = $2 and used_at is null`,
            [factor_id, hashOf(factor_id, code)],
          )
        : await pool.query(
            `update operational.second_factors set last_step = $2
             where factor_id = $1 and last_step < $2`,
            [factor_id, step],
          );
    return rowCount === 1;
  }

  /** New ones in place of those that there were; they are shown now, or never. */
  async function renew(factorId: string): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    await pool.query(
      `with gone as (delete from operational.recovery_codes where factor_id = $1)
       insert into operational.recovery_codes (factor_id, code_hash)
       select $1, unnest($2::text[])`,
      [factorId, codes.map((code) => hashOf(factorId, code))],
    );
    return codes;
  }

  return { take, renew };
}
