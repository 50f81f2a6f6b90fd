import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import { MemberDeactivated } from '@tallyhand/contracts/features/organizations/organizations.events';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { destroyKeys } from '../../kit/destroy-keys.ts';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import { emailStream } from './email.decider.ts';
import { heldAddressesOf } from './held-addresses.ts';
import type { SignedIn } from './sign-ins.ts';
import { userStream } from './user.decider.ts';

const READ_MODELS_WAIT_MS = 5_000;

type Erased = Parameters<typeof PersonErased>[0];

/** What it takes of the feature that keeps members. */
export type Leaving = {
  readonly leaveForGood: (context: CommandContext, of: SignedIn) => Promise<unknown>;
};

/** Tables with rows that only one person uses. */
const OWN_ROWS = [
  ['sign_ins', 'user_id'],
  ['password_hashes', 'user_id'],
  ['second_factors', 'user_id'],
  ['account_tokens', 'user_id'],
  ['held_addresses', 'user_id'],
  ['idempotency', 'user_id'],
  ['chat_limits', 'user_id'],
  ['outgoing_mail', 'recipient_id'],
  ['pending_erasures', 'user_id'],
] as const;

/**
 * Erases a person: they leave, the event tells whose keys are gone, and the keys are destroyed. All
 * that follows from the event may be repeated.
 */
export function erasureOf(kit: Kit, { leaveForGood }: Leaving) {
  const { pool } = kit;
  const users = kit.streams.of(userStream);
  const emails = kit.streams.of(emailStream);
  const held = heldAddressesOf(kit);

  /** Nothing of the person is left outside of events, and nothing in events can be read. */
  async function wipe(context: CommandContext, { userId, keys }: Erased): Promise<void> {
    for (const emailKey of await held.heldBy(userId)) {
      await emails.send(emailKey, { type: 'ReleaseEmail', data: { userId } }, context);
    }
    for (const [table, column] of OWN_ROWS) {
      await pool.query(`delete from operational.${table} where ${column} = $1`, [userId]);
    }
    await destroyKeys(kit, keys);
  }

  async function finish(context: CommandContext, data: Erased): Promise<Position | null> {
    const answer = await users.send(data.userId, { type: 'ErasePerson', data }, context);
    if (isRefusal(answer)) return null;
    await wipe(context, data);
    return answer.position;
  }

  /** Exports that were made before the log had forgotten the person. */
  async function forgetExports(organizationId: string, madeUntil: Date): Promise<void> {
    await inTenant(pool, organizationId, (client) =>
      client.query(
        `delete from operational.audit_exports
         where organization_id = $1 and (state->>'createdAt')::timestamptz <= $2`,
        [organizationId, madeUntil],
      ),
    );
  }

  return {
    async erase(context: CommandContext, of: SignedIn): Promise<Refusal | null> {
      const { userId, organizationId } = of;
      const keys = [...new Set([userId, ...(await invitationsTo(kit, of))])];
      // A former member cannot ask again: from here on it continues automatically.
      await pool.query(
        `insert into operational.pending_erasures (user_id, organization_id, keys)
         values ($1, $2, $3) on conflict (user_id) do update set keys = excluded.keys`,
        [userId, organizationId, keys],
      );
      const left = await leaveForGood(context, { userId, organizationId });
      if (isRefusal(left)) {
        await pool.query('delete from operational.pending_erasures where user_id = $1', [userId]);
        return left;
      }
      const position = await finish(context, { userId, organizationId, keys });
      if (position && (await kit.readPosition.reached(position, READ_MODELS_WAIT_MS))) {
        await forgetExports(organizationId, new Date());
      }
      return null;
    },
    wipe,
    forgetExports,
    /** Of a member who has left by themselves, where they had asked for it. */
    async resume(context: CommandContext, userId: string): Promise<void> {
      const { rows } = await pool.query<{ organization_id: string; keys: string[] }>(
        'select organization_id, keys from operational.pending_erasures where user_id = $1',
        [userId],
      );
      const asked = rows[0];
      if (!asked) return;
      const { organization_id: organizationId, keys } = asked;
      // Their address can be found, and given back, only as long as it can be read.
      await leaveForGood(context, { userId, organizationId });
      await finish(context, { userId, organizationId, keys });
    },
  };
}

/** The invitations in the organization that went to addresses of the person. */
async function invitationsTo(
  { pool, personKeys, streams }: Kit,
  { userId, organizationId }: SignedIn,
): Promise<string[]> {
  const { registered, emailChanges } = await streams.of(userStream).load(userId);
  if (!registered) return [];
  const texts = [registered.email, ...[...emailChanges.values()].map((c) => c.previousEmail)];
  const addresses = await Promise.all(texts.map((text) => personKeys.reveal(userId, text)));
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<{ id: string }>(
      `select invitation_id as id from read_model.invitations
       where organization_id = $1 and lower(email) = any($2)`,
      [organizationId, addresses.map((address) => address.toLowerCase())],
    ),
  );
  const ids = rows.map(({ id }) => id);
  return registered.invitationId ? [...ids, registered.invitationId] : ids;
}

export type Erasure = ReturnType<typeof erasureOf>;

/** An erasure that was cut off goes on here. */
export const finishErasures = ({ resume, wipe, forgetExports }: Erasure): Reaction =>
  reaction('finish-erasures', {
    MemberDeactivated: async (event) => {
      const { userId } = MemberDeactivated.read(event.data, event.envelope.schemaVersion);
      // A member whom an Admin removed may have decided against erasure.
      if (event.envelope.actor.id !== userId) return;
      await resume(reactionContext(event, derivedId(event.id, 'erase-person')), userId);
    },
    PersonErased: async (event) => {
      const erased = PersonErased.read(event.data, event.envelope.schemaVersion);
      await wipe(reactionContext(event, derivedId(event.id, 'finish-erasure')), erased);
      await forgetExports(erased.organizationId, new Date(event.envelope.recordedAt));
    },
  });
