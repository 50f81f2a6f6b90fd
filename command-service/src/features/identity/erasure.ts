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
import { EmailAddresses } from './email-addresses.ts';
import type { SignedIn } from './sign-ins.ts';
import { userStream } from './user.decider.ts';

const READ_MODELS_WAIT_MS = 5_000;

type Erased = Parameters<typeof PersonErased>[0];

type Members = {
  readonly leaveForGood: (context: CommandContext, of: SignedIn) => Promise<unknown>;
  /** Whether a legal hold keeps everyone's data. */
  readonly isHeld: (organizationId: string) => Promise<boolean>;
  /** Whether the organization's rule allows to erase a member who left. */
  readonly mayEraseFormer: (of: SignedIn) => Promise<boolean>;
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
  ['waiting_erasures', 'user_id'],
] as const;

/**
 * Erases a person: they leave, an event names the keys, and the keys are destroyed. The
 * consequences of the event may be repeated.
 */
export class Erasure {
  readonly #kit: Kit;
  readonly #members: Members;
  readonly #users;
  readonly #addresses: EmailAddresses;

  constructor(kit: Kit, members: Members) {
    this.#kit = kit;
    this.#members = members;
    this.#users = kit.streams.of(userStream);
    this.#addresses = new EmailAddresses(kit);
  }

  /** `waits`: they have left, and are erased after the legal hold is lifted. */
  async erase(context: CommandContext, of: SignedIn): Promise<Refusal | 'erased' | 'waits'> {
    const { pool, readPosition } = this.#kit;
    const { userId, organizationId } = of;
    const keys = await this.#keysOf(of);
    // Former member cannot ask again: from here on it continues automatically.
    await pool.query(
      `insert into operational.pending_erasures (user_id, organization_id, keys)
       values ($1, $2, $3) on conflict (user_id) do update set keys = excluded.keys`,
      [userId, organizationId, keys],
    );
    const left = await this.#members.leaveForGood(context, { userId, organizationId });
    if (isRefusal(left)) {
      await pool.query('delete from operational.pending_erasures where user_id = $1', [userId]);
      return left;
    }
    if (await this.#members.isHeld(organizationId)) {
      await this.#wait(of);
      return 'waits';
    }
    const position = await this.#finish(context, { userId, organizationId, keys });
    if (position && (await readPosition.reached(position, READ_MODELS_WAIT_MS))) {
      await this.forgetExports(organizationId, new Date());
    }
    return 'erased';
  }

  /** Erases a former member: by the organization's rule, or as they asked during a legal hold. */
  async eraseFormer(context: CommandContext, of: SignedIn, isAsked: boolean): Promise<void> {
    // From here on they can't be restored.
    await this.#wait(of);
    const mayErase = isAsked
      ? !(await this.#members.isHeld(of.organizationId))
      : await this.#members.mayEraseFormer(of);
    if (mayErase) await this.#finish(context, { ...of, keys: await this.#keysOf(of) });
    else if (!isAsked) {
      await this.#kit.pool.query('delete from operational.waiting_erasures where user_id = $1', [
        of.userId,
      ]);
    }
  }

  /** For a person who has left: the erasure is due once no legal hold stands. */
  async #wait({ userId, organizationId }: SignedIn): Promise<void> {
    const { pool } = this.#kit;
    await pool.query(
      `insert into operational.waiting_erasures (user_id, organization_id) values ($1, $2)
       on conflict do nothing`,
      [userId, organizationId],
    );
    await pool.query('delete from operational.pending_erasures where user_id = $1', [userId]);
  }

  async #keysOf(of: SignedIn): Promise<string[]> {
    return [...new Set([of.userId, ...(await invitationsTo(this.#kit, of))])];
  }

  /** Continues the requested erasure of a person who has left, if there is one. */
  async resume(context: CommandContext, userId: string): Promise<void> {
    const { rows } = await this.#kit.pool.query<{ organization_id: string; keys: string[] }>(
      'select organization_id, keys from operational.pending_erasures where user_id = $1',
      [userId],
    );
    const requested = rows[0];
    if (!requested) return;
    const { organization_id: organizationId, keys } = requested;
    // Their address can be found and freed only while it can be decrypted.
    await this.#members.leaveForGood(context, { userId, organizationId });
    if (await this.#members.isHeld(organizationId)) {
      await this.#wait({ userId, organizationId });
      return;
    }
    await this.#finish(context, { userId, organizationId, keys });
  }

  async #finish(context: CommandContext, data: Erased): Promise<Position | null> {
    const answer = await this.#users.send(data.userId, { type: 'ErasePerson', data }, context);
    if (isRefusal(answer)) return null;
    await this.wipe(context, data);
    return answer.position;
  }

  /** Deletes what is stored of the person outside of events, and makes events unreadable. */
  async wipe(context: CommandContext, { userId, keys }: Erased): Promise<void> {
    for (const emailKey of await this.#addresses.heldBy(userId)) {
      await this.#addresses.free(context, emailKey, userId);
    }
    for (const [table, column] of OWN_ROWS) {
      await this.#kit.pool.query(`delete from operational.${table} where ${column} = $1`, [userId]);
    }
    await destroyKeys(this.#kit, keys);
  }

  /** Deletes exports that were made while the person could still be read. */
  async forgetExports(organizationId: string, madeUntil: Date): Promise<void> {
    await inTenant(this.#kit.pool, organizationId, (client) =>
      client.query(
        `delete from operational.audit_exports
         where organization_id = $1 and (state->>'createdAt')::timestamptz <= $2`,
        [organizationId, madeUntil],
      ),
    );
  }
}

/** The organization's invitations that went to addresses of the person. */
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

/** Finishes interrupted erasures. */
export const finishErasures = (erasure: Erasure): Reaction =>
  reaction('finish-erasures', {
    MemberDeactivated: async (event) => {
      const { userId } = MemberDeactivated.read(event.data, event.envelope.schemaVersion);
      // A member whom an Admin removed may have decided against erasure.
      if (event.envelope.actor.id !== userId) return;
      await erasure.resume(reactionContext(event, derivedId(event.id, 'erase-person')), userId);
    },
    PersonErased: async (event) => {
      const erased = PersonErased.read(event.data, event.envelope.schemaVersion);
      await erasure.wipe(reactionContext(event, derivedId(event.id, 'finish-erasure')), erased);
      await erasure.forgetExports(erased.organizationId, new Date(event.envelope.recordedAt));
    },
  });
