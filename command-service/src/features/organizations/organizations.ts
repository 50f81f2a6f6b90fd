import { organizationEvents } from '@tallyhand/contracts/features/organizations/organizations.events';
import { MemberAddressTaken } from '@tallyhand/contracts/features/organizations/organizations.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { inTransaction } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import { type Member, organizationStream } from './organization.decider.ts';

type NewMember = {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly invitationId: string | null;
};

export type OfMember = { readonly organizationId: string; readonly userId: string };
/** `by`: null where a person leaves by themselves. */
type Change = OfMember & { readonly by: string | null };

/** What it takes of the features that keep addresses and API keys; each may be repeated. */
export type MemberBelongings = {
  /** The address is free for a registration or an invitation. */
  readonly release: (context: CommandContext, userId: string) => Promise<void>;
  /** The member has the address again; refused if another account has it by now. */
  readonly reclaim: (context: CommandContext, userId: string) => Promise<Refusal | null>;
  /** The keys that they made are dead, and stay so. */
  readonly endKeys: (
    context: CommandContext,
    organizationId: string,
    userId: string,
  ) => Promise<void>;
};

/** Organizations and who belongs to them. Every call may be repeated. */
export type Organizations = ReturnType<typeof organizationsOf>;

export function organizationsOf(kit: Kit, belongings: MemberBelongings) {
  const organizations = kit.streams.of(organizationStream);
  const access = accessOf(kit.pool);
  const must = async (answer: Promise<unknown>) => {
    const given = await answer;
    if (isRefusal(given)) throw new Error(`The organization refused: ${given.code}`);
  };

  /** Brings access, keys and address in line with the stream, after a process died in between. */
  const syncAccess = (context: CommandContext, { organizationId, userId }: OfMember) =>
    access.inTurn(userId, async (client) => {
      const member = (await organizations.load(organizationId)).members.get(userId);
      if (!member) return null;
      await access.set(client, { organizationId, userId }, member);
      if (member.isActive) await belongings.reclaim(context, userId);
      else {
        await belongings.endKeys(context, organizationId, userId);
        await belongings.release(context, userId);
      }
      return member;
    });

  /** Decides on the stream, and has access follow before it answers. */
  async function change(
    context: CommandContext,
    of: OfMember,
    command: Parameters<typeof organizations.send>[1],
  ): Promise<Member | Refusal> {
    const answer = await organizations.send(of.organizationId, command, context);
    if (isRefusal(answer)) return answer;
    const member = await syncAccess(context, of);
    if (!member) throw new Error('A member is missing after a change of theirs');
    return member;
  }

  return {
    syncAccess,
    register: (context: CommandContext, organizationId: string, name: string): Promise<void> =>
      must(
        organizations.send(
          organizationId,
          { type: 'RegisterOrganization', data: { organizationId, name } },
          context,
        ),
      ),
    /** The member may sign in from now on: access is checked in a table of its own. */
    async addMember(context: CommandContext, data: NewMember): Promise<void> {
      await must(organizations.send(data.organizationId, { type: 'AddMember', data }, context));
      const { members } = await organizations.load(data.organizationId);
      const member = members.get(data.userId);
      if (!member) throw new Error('A member is missing after joining');
      await access.add(data, member);
      // Their address was taken again, and then the process died: it is free.
      if (!member.isActive) await syncAccess(context, data);
    },
    changeRole: (context: CommandContext, data: Change & { readonly role: Role }) =>
      change(context, data, { type: 'ChangeMemberRole', data }),
    /** Sign-ins and keys are dead at the next request. */
    deactivate: (context: CommandContext, data: Change) =>
      change(context, data, { type: 'DeactivateMember', data }),
    /** Of a person who is erased. */
    leaveForGood: (context: CommandContext, data: OfMember) =>
      change(context, data, { type: 'LeaveForGood', data }),
    isClosed: async (organizationId: string) => (await organizations.load(organizationId)).isClosed,
    async reactivate(context: CommandContext, data: OfMember): Promise<Member | Refusal> {
      const { members } = await organizations.load(data.organizationId);
      if (members.get(data.userId)?.isActive === false) {
        const refused = await belongings.reclaim(context, data.userId);
        // An erased person is no member of any organization.
        if (refused) return refused.code === NotFound.code ? refused : MemberAddressTaken({});
      }
      return change(context, data, { type: 'ReactivateMember', data });
    },
    nameOf: async (organizationId: string): Promise<string> =>
      (await organizations.load(organizationId)).name ?? '',
  };
}

type Access = { readonly role: Role; readonly isActive: boolean };

/** What every request is checked by. */
export function accessOf(pool: pg.Pool) {
  let last: Promise<unknown> = Promise.resolve();

  return {
    /** Of a new member; of one who is known it stays as it is. */
    async add({ userId, organizationId }: OfMember, { role, isActive }: Access): Promise<void> {
      await pool.query(
        `insert into operational.access (user_id, organization_id, role, is_active)
         values ($1, $2, $3, $4) on conflict (user_id) do nothing`,
        [userId, organizationId, role, isActive],
      );
    },
    async set(client: pg.ClientBase, { userId }: OfMember, { role, isActive }: Access) {
      await client.query(
        'update operational.access set role = $2, is_active = $3 where user_id = $1',
        [userId, role, isActive],
      );
      if (isActive) return;
      // A readmitted member signs in again.
      await client.query(
        'update operational.sign_ins set ended_at = now() where user_id = $1 and ended_at is null',
        [userId],
      );
    },
    /**
     * Of several who bring one member in line each sees what the one before left. In a process they
     * go one by one, since each holds a connection while it needs others.
     */
    inTurn<T>(userId: string, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
      const next = last.then(() =>
        inTransaction(pool, async (client) => {
          await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
            `access of ${userId}`,
          ]);
          return work(client);
        }),
      );
      last = next.catch(() => {});
      return next;
    },
  };
}

const OfMember = organizationEvents.MemberDeactivated.schema;

/** A change of a member that was cut off before access followed goes on here. */
export const syncMemberAccess = (organizations: Organizations): Reaction => {
  const follow = async (event: StoredEvent) => {
    const context = reactionContext(event, derivedId(event.id, 'members-in-line'));
    await organizations.syncAccess(context, OfMember.parse(event.data));
  };
  return reaction('members-in-line', {
    MemberRoleChanged: follow,
    MemberDeactivated: follow,
    MemberReactivated: follow,
  });
};
