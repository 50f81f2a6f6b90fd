import {
  SecondFactorIsOn,
  SecondFactorNotBegun,
  WrongCode,
} from '@tallyhand/contracts/features/identity/identity.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { type Factor, factorCodesOf, sealingContext } from './factor-codes.ts';
import type { SignedIn } from './sign-ins.ts';
import { base32, newSecret, otpauthUri } from './totp.ts';
import { userStream } from './user.decider.ts';

/** Codes of an authenticator beside the password. Secrets are sealed, recovery codes hashed. */
export function secondFactorsOf({ pool, box, streams }: Kit) {
  const users = streams.of(userStream);
  const codes = factorCodesOf({ pool, box });

  async function find(userId: string, state: 'on' | 'begun'): Promise<Factor | null> {
    const { rows } = await pool.query<Factor>(
      `select factor_id, sealed from operational.second_factors
       where user_id = $1 and (enabled_at is not null) = $2 order by made_at desc limit 1`,
      [userId, state === 'on'],
    );
    return rows[0] ?? null;
  }

  return {
    isOn: async (userId: string) => (await find(userId, 'on')) !== null,
    /** One that was begun before and never confirmed is forgotten. */
    async begin(userId: string, account: string) {
      if (await find(userId, 'on')) return SecondFactorIsOn({});
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
    },
    /** The first code turns it on. */
    async confirm(
      context: CommandContext,
      { userId, organizationId }: SignedIn,
      code: string,
    ): Promise<string[] | Refusal> {
      const factor = await find(userId, 'begun');
      if (!factor) return SecondFactorNotBegun({});
      if (!(await codes.take(factor, code, context.now))) return WrongCode({});
      const { factor_id: factorId } = factor;
      const recoveryCodes = await codes.renew(factorId);
      const data = { userId, organizationId, factorId };
      await users.send(userId, { type: 'EnableSecondFactor', data }, context);
      await pool.query(
        'update operational.second_factors set enabled_at = now() where factor_id = $1',
        [factorId],
      );
      return recoveryCodes;
    },
    /** Null where the code is right, or where none is asked for. */
    async refuseWrongCode(userId: string, code: string, now: Date): Promise<Refusal | null> {
      const factor = await find(userId, 'on');
      return !factor || (await codes.take(factor, code, now)) ? null : WrongCode({});
    },
    async remove(context: CommandContext, { userId, organizationId }: SignedIn): Promise<void> {
      const factor = await find(userId, 'on');
      if (!factor) return;
      const { factor_id: factorId } = factor;
      const data = { userId, organizationId, factorId };
      // First of all it is told: where the process dies now, it can be asked for again.
      await users.send(userId, { type: 'DisableSecondFactor', data }, context);
      await pool.query('delete from operational.second_factors where factor_id = $1', [factorId]);
    },
  };
}
