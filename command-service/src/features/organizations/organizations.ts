import { organizationEvents } from '@tallyhand/contracts/features/organizations/organizations.events';
import { MemberAddressTaken } from '@tallyhand/contracts/features/organizations/organizations.refusals';
import { endOfDay } from '@tallyhand/contracts/kernel/auditor-access';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import { inTransaction } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import {
  type Member,
  type NewRole,
  type OrganizationCommand,
  organizationStream,
} from './organization.decider.ts';

type NewMember = {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly lastDay: string | null;
  readonly invitationId: string | null;
};

type RetentionCommand = Extract<
  OrganizationCommand,
  { type: 'ChangeRetentionRule' | 'PlaceLegalHold' | 'LiftLegalHold' }
>;

export type OfMember = { readonly organizationId: string; readonly userId: string };
/** `by` is null if a person leaves on their own. */
type Change = OfMember & { readonly by: string | null };

/** The parts of other features; each call may be repeated. */
type MemberBelongings = {
  readonly addresses: {
    /** Frees the address for a registration or an invitation. */
    release(context: CommandContext, userId: string): Promise<void>;
    /** Returns the address to the member; refused if another account has it by now. */
    reclaim(context: CommandContext, userId: string): Promise<Refusal | null>;
  };
  /** Ends the keys that a member made, for good. */
  readonly endKeys: (
    context: CommandContext,
    organizationId: string,
    userId: string,
  ) => Promise<void>;
};

/** Organizations and their members. Every call may be repeated. */
export class Organizations {
  readonly #streams;
  readonly #access: AccessRows;
  readonly #belongings: MemberBelongings;

  constructor(kit: Kit, belongings: MemberBelongings) {
    this.#streams = kit.streams.of(organizationStream);
    this.#access = new AccessRows(kit.pool);
    this.#belongings = belongings;
  }

  async register(context: CommandContext, organizationId: string, name: string): Promise<void> {
    const data = { organizationId, name };
    await this.#must(context, organizationId, { type: 'RegisterOrganization', data });
  }

  /** The member may sign in from now on: requests check a table of access. */
  async addMember(context: CommandContext, data: NewMember): Promise<void> {
    const { organizationId, userId } = data;
    const { members } = await this.#must(context, organizationId, { type: 'AddMember', data });
    const member = members.get(userId);
    if (!member) throw new Error('A member is missing after joining');
    await this.#access.add(data, member);
    // A process that died may have reserved the address again: it is freed.
    if (!member.isActive) await this.syncAccess(context, data);
  }

  changeRole(context: CommandContext, data: Change & NewRole) {
    return this.#change(context, data, { type: 'ChangeMemberRole', data });
  }

  /** Sign-ins and keys are dead at the next request. */
  deactivate(context: CommandContext, data: Change) {
    return this.#change(context, data, { type: 'DeactivateMember', data });
  }

  /** For a person who is erased. */
  leaveForGood(context: CommandContext, data: OfMember) {
    return this.#change(context, data, { type: 'LeaveForGood', data });
  }

  async reactivate(context: CommandContext, data: OfMember): Promise<Member | Refusal> {
    const { members } = await this.#streams.load(data.organizationId);
    if (members.get(data.userId)?.isActive === false) {
      const refused = await this.#belongings.addresses.reclaim(context, data.userId);
      // An erased person can't become a member again.
      if (refused) return refused.code === NotFound.code ? refused : MemberAddressTaken({});
    }
    return this.#change(context, data, { type: 'ReactivateMember', data });
  }

  async isClosed(organizationId: string): Promise<boolean> {
    return (await this.#streams.load(organizationId)).isClosed;
  }

  /** The choice of the model that embeds the articles; null for a closed organization. */
  async embeddingOf(organizationId: string, since?: Position) {
    const { isClosed, embedding } = await this.#streams.load(organizationId, since);
    return isClosed ? null : embedding;
  }

  async chooseEmbeddingModel(
    context: CommandContext,
    data: Extract<OrganizationCommand, { type: 'ChooseEmbeddingModel' }>['data'],
  ): Promise<Refusal | null> {
    const command = { type: 'ChooseEmbeddingModel', data } as const;
    const answer = await this.#streams.send(data.organizationId, command, context);
    return isRefusal(answer) ? answer : null;
  }

  async setChatTokenBudget(
    context: CommandContext,
    data: Extract<OrganizationCommand, { type: 'SetChatTokenBudget' }>['data'],
  ): Promise<Refusal | null> {
    const command = { type: 'SetChatTokenBudget', data } as const;
    const answer = await this.#streams.send(data.organizationId, command, context);
    return isRefusal(answer) ? answer : null;
  }

  /** Changes the retention rule or the legal hold. */
  async retain(context: CommandContext, command: RetentionCommand): Promise<Refusal | null> {
    const answer = await this.#streams.send(command.data.organizationId, command, context);
    return isRefusal(answer) ? answer : null;
  }

  /** Whether a legal hold keeps everyone's data. */
  async isHeld(organizationId: string): Promise<boolean> {
    return (await this.#streams.load(organizationId)).hold !== null;
  }

  /** Whether the rule allows to erase a member who left. */
  async mayEraseFormer({ organizationId, userId }: OfMember): Promise<boolean> {
    const { members, hold, retentionDays } = await this.#streams.load(organizationId);
    return hold === null && retentionDays !== null && members.get(userId)?.isActive === false;
  }

  async nameOf(organizationId: string, since?: Position): Promise<string> {
    return (await this.#streams.load(organizationId, since)).name ?? '';
  }

  /** Makes access, keys and address agree with the stream, after a process died in between. */
  syncAccess(context: CommandContext, { organizationId, userId }: OfMember) {
    return this.#access.inTurn(userId, async (client) => {
      const { members } = await this.#streams.load(organizationId);
      const member = members.get(userId);
      if (!member) return null;
      await this.#access.set(client, { organizationId, userId }, member);
      const { addresses, endKeys } = this.#belongings;
      if (member.isActive) await addresses.reclaim(context, userId);
      else {
        await endKeys(context, organizationId, userId);
        await addresses.release(context, userId);
      }
      return member;
    });
  }

  /** Decides on the stream, and updates access before it returns. */
  async #change(
    context: CommandContext,
    of: OfMember,
    command: OrganizationCommand,
  ): Promise<Member | Refusal> {
    const answer = await this.#streams.send(of.organizationId, command, context);
    if (isRefusal(answer)) return answer;
    const member = await this.syncAccess(context, of);
    if (!member) throw new Error('A member is missing after a change of theirs');
    return member;
  }

  async #must(context: CommandContext, organizationId: string, command: OrganizationCommand) {
    const answer = await this.#streams.send(organizationId, command, context);
    if (isRefusal(answer)) throw new Error(`The organization refused: ${answer.code}`);
    return answer.state;
  }
}

const endOf = ({ lastDay }: Member) => lastDay && endOfDay(lastDay);

/** The rows that every request is checked against. */
class AccessRows {
  readonly #pool: pg.Pool;
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Adds a new member; does not change a known one. */
  async add({ userId, organizationId }: OfMember, member: Member): Promise<void> {
    const { role, isActive } = member;
    await this.#pool.query(
      `insert into operational.access (user_id, organization_id, role, is_active, access_until)
       values ($1, $2, $3, $4, $5) on conflict (user_id) do nothing`,
      [userId, organizationId, role, isActive, endOf(member)],
    );
  }

  async set(client: pg.ClientBase, { userId }: OfMember, member: Member) {
    const { role, isActive } = member;
    await client.query(
      `update operational.access set role = $2, is_active = $3, access_until = $4,
         left_at = case when $3 then null else coalesce(left_at, now()) end
       where user_id = $1`,
      [userId, role, isActive, endOf(member)],
    );
    if (isActive) return;
    // A readmitted member signs in again.
    await client.query(
      'update operational.sign_ins set ended_at = now() where user_id = $1 and ended_at is null',
      [userId],
    );
  }

  /**
   * Serializes updates of one member across processes. Within a process all updates are serialized,
   * since each holds a connection while it needs others.
   */
  inTurn<T>(userId: string, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    const next = this.#last.then(() =>
      inTransaction(this.#pool, async (client) => {
        await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
          `access of ${userId}`,
        ]);
        return work(client);
      }),
    );
    this.#last = next.catch(() => {});
    return next;
  }
}

const OfMember = organizationEvents.MemberDeactivated.schema;

/** Finishes changes of members that were interrupted before access was updated. */
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
