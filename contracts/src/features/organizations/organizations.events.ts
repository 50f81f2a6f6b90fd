import { z } from 'zod';
import { Day } from '../../kernel/auditor-access.ts';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event, type Upcast } from '../../kernel/messages.ts';
import { Role } from '../../kernel/role.ts';

/** On `organization-{id}`: its members and their roles. */
export const OrganizationRegistered = event('OrganizationRegistered', {
  organizationId: Id,
  name: z.string(),
});
/** Before there were Auditors, no member had a last day. */
const withoutLastDay: Upcast = (data) => ({ ...data, lastDay: null });

export const MemberJoined = event(
  'MemberJoined',
  {
    organizationId: Id,
    userId: Id,
    role: Role,
    /** Of an Auditor, otherwise null: the last day of access. */
    lastDay: Day.nullable(),
    invitationId: Id.nullable(),
  },
  [withoutLastDay],
);
/** Another role, or another last day of an Auditor. */
export const MemberRoleChanged = event(
  'MemberRoleChanged',
  { organizationId: Id, userId: Id, role: Role, lastDay: Day.nullable() },
  [withoutLastDay],
);
/** The member's sign-ins end and the address becomes free; created objects stay. */
export const MemberDeactivated = event('MemberDeactivated', { organizationId: Id, userId: Id });
export const MemberReactivated = event('MemberReactivated', { organizationId: Id, userId: Id });

/** Which model embeds the articles: `default`, `connection` with its id, or `off`. */
export const EmbeddingModelChosen = event('EmbeddingModelChosen', {
  organizationId: Id,
  source: z.enum(['default', 'connection', 'off']),
  connectionId: Id.nullable(),
});

/** Tokens that chat may use in a calendar month (UTC), or null for no limit. */
export const ChatTokenBudgetSet = event('ChatTokenBudgetSet', {
  organizationId: Id,
  monthlyTokens: z.int().nullable(),
});

/** Removed members are erased so many days after they left; null: no rule. */
export const RetentionRuleChanged = event('RetentionRuleChanged', {
  organizationId: Id,
  days: z.int().nullable(),
});
/** No one is erased until it is lifted. */
export const LegalHoldPlaced = event('LegalHoldPlaced', { organizationId: Id, reason: z.string() });
export const LegalHoldLifted = event('LegalHoldLifted', { organizationId: Id });

/** Its last member was erased: no one can join any more. */
export const OrganizationClosed = event('OrganizationClosed', { organizationId: Id });

/** Every event of the stream, by type. */
export const organizationEvents = {
  OrganizationRegistered,
  MemberJoined,
  MemberRoleChanged,
  MemberDeactivated,
  MemberReactivated,
  OrganizationClosed,
  EmbeddingModelChosen,
  ChatTokenBudgetSet,
  RetentionRuleChanged,
  LegalHoldPlaced,
  LegalHoldLifted,
};
export type OrganizationEvent = EventsOf<typeof organizationEvents>;
