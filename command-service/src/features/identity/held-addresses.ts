import { newId } from '@tallyhand/service-kit/crypto/ids';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import { emailStream } from './email.decider.ts';
import { normalizedEmail } from './registration.ts';
import { userStream } from './user.decider.ts';

const EVERY_MS = 10 * 60_000;
const RELEASED_AT_ONCE = 100;

type Hold = { readonly userId: string; readonly organizationId: string; readonly until: Date };
type Row = { email_key: string; user_id: string; organization_id: string };

/** Addresses that people have given up, and may still want back. */
export function heldAddressesOf({ pool }: Pick<Kit, 'pool'>) {
  return {
    async hold(emailKey: string, { userId, organizationId, until }: Hold): Promise<void> {
      await pool.query(
        `insert into operational.held_addresses (email_key, user_id, organization_id, held_until)
         values ($1, $2, $3, $4)
         on conflict (email_key) do update set user_id = excluded.user_id,
           organization_id = excluded.organization_id, held_until = excluded.held_until`,
        [emailKey, userId, organizationId, until],
      );
    },
    async heldBy(userId: string): Promise<readonly string[]> {
      const { rows } = await pool.query<Row>(
        'select email_key from operational.held_addresses where user_id = $1',
        [userId],
      );
      return rows.map(({ email_key }) => email_key);
    },
  };
}

/** Frees those whose time is over, unless they are their person's address again. */
export async function releaseHeldAddresses(kit: Kit): Promise<void> {
  const emails = kit.streams.of(emailStream);
  const users = kit.streams.of(userStream);
  const { rows } = await kit.pool.query<Row>(
    `select email_key, user_id, organization_id from operational.held_addresses
     where held_until < now() order by held_until limit $1`,
    [RELEASED_AT_ONCE],
  );
  for (const { email_key: emailKey, user_id: userId, organization_id: organizationId } of rows) {
    const { registered } = await users.load(userId);
    const email = registered && (await kit.personKeys.reveal(userId, registered.email));
    const isPresent =
      email && email !== ERASED && kit.box.keyedHash('email', normalizedEmail(email)) === emailKey;
    if (!isPresent) {
      await emails.send(
        emailKey,
        { type: 'ReleaseEmail', data: { userId } },
        {
          organizationId,
          actor: { kind: 'worker' },
          commandId: newId(),
          correlationId: newId(),
          causationId: null,
          now: new Date(),
        },
      );
    }
    await kit.pool.query(
      'delete from operational.held_addresses where email_key = $1 and held_until < now()',
      [emailKey],
    );
  }
}

/** Again and again. */
export function sweepHeldAddresses(kit: Kit): AsyncDisposable {
  const timer = setInterval(() => {
    releaseHeldAddresses(kit).catch((error) =>
      kit.log.warn('held addresses were not released', errorFields(error)),
    );
  }, EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}
