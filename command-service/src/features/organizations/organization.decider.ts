import {
  ChatTokenBudgetSet,
  EmbeddingModelChosen,
  LegalHoldLifted,
  LegalHoldPlaced,
  MemberDeactivated,
  MemberJoined,
  MemberReactivated,
  MemberRoleChanged,
  OrganizationClosed,
  type OrganizationEvent,
  OrganizationRegistered,
  organizationEvents,
  RetentionRuleChanged,
} from '@tallyhand/contracts/features/organizations/organizations.events';
import {
  LastAdmin,
  LegalHoldStands,
  MemberNotActive,
  OwnMembership,
} from '@tallyhand/contracts/features/organizations/organizations.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

type OfMember = { readonly organizationId: string; readonly userId: string };
/** `lastDay`: of an Auditor, otherwise null. */
type RoleOfMember = { readonly role: Role; readonly lastDay: string | null };
export type NewRole = {
  readonly role: Role;
  /** Null if none is requested: an Auditor keeps the present one, a new one gets the usual one. */
  readonly lastDay: string | null;
  readonly usualLastDay: string;
};
/** The acting Admin, or null if a person leaves on their own. */
type By = { readonly by: string | null };

export type OrganizationCommand =
  | EventValue<'RegisterOrganization', Parameters<typeof OrganizationRegistered>[0]>
  | EventValue<'AddMember', Parameters<typeof MemberJoined>[0]>
  | EventValue<'ChangeMemberRole', OfMember & By & NewRole>
  | EventValue<'DeactivateMember', OfMember & By>
  | EventValue<'ReactivateMember', OfMember>
  | EventValue<'LeaveForGood', OfMember>
  | EventValue<'ChooseEmbeddingModel', Parameters<typeof EmbeddingModelChosen>[0]>
  | EventValue<'SetChatTokenBudget', Parameters<typeof ChatTokenBudgetSet>[0]>
  | EventValue<'ChangeRetentionRule', Parameters<typeof RetentionRuleChanged>[0]>
  | EventValue<'PlaceLegalHold', Parameters<typeof LegalHoldPlaced>[0]>
  | EventValue<'LiftLegalHold', Parameters<typeof LegalHoldLifted>[0]>;

export type Member = RoleOfMember & { readonly isActive: boolean };

type EmbeddingChoice = Omit<Parameters<typeof EmbeddingModelChosen>[0], 'organizationId'>;

export type Organization = {
  readonly name: string | null;
  readonly members: ReadonlyMap<string, Member>;
  readonly isClosed: boolean;
  readonly embedding: EmbeddingChoice;
  /** Null without a limit. */
  readonly chatTokens: number | null;
  /** Days after which removed members are erased; null: they stay. */
  readonly retentionDays: number | null;
  /** The reason of the legal hold, or null. */
  readonly hold: string | null;
};

function changeRole(
  { by, role, lastDay: wanted, usualLastDay, ...of }: OfMember & By & NewRole,
  organization: Organization,
) {
  const member = organization.members.get(of.userId);
  if (!member) return NotFound({ what: 'member' });
  if (!member.isActive) return MemberNotActive({});
  const lastDay = role === 'Auditor' ? (wanted ?? member.lastDay ?? usualLastDay) : null;
  if (member.role === role && member.lastDay === lastDay) return [];
  if (by === of.userId) return OwnMembership({});
  if (isOnlyAdmin(organization, of.userId)) return LastAdmin({});
  return [MemberRoleChanged({ ...of, role, lastDay })];
}

function deactivate({ by, ...of }: OfMember & By, organization: Organization) {
  const member = organization.members.get(of.userId);
  if (!member) return NotFound({ what: 'member' });
  if (!member.isActive) return [];
  if (by === of.userId) return OwnMembership({});
  if (isOnlyAdmin(organization, of.userId)) return LastAdmin({});
  return [MemberDeactivated(of)];
}

function reactivate({ organizationId, userId }: OfMember, { members }: Organization) {
  const member = members.get(userId);
  if (!member) return NotFound({ what: 'member' });
  return member.isActive ? [] : [MemberReactivated({ organizationId, userId })];
}

/** The last member closes the organization. The only Admin among several must hand over first. */
function leaveForGood(of: OfMember, organization: Organization) {
  const member = organization.members.get(of.userId);
  if (!member) return NotFound({ what: 'member' });
  const { organizationId, userId } = of;
  const isLast = [...organization.members].every(([id, m]) => id === userId || !m.isActive);
  if (!isLast && member.isActive && isOnlyAdmin(organization, userId)) return LastAdmin({});
  // A closed organization would have no one left to lift the hold.
  if (isLast && !organization.isClosed && organization.hold !== null) return LegalHoldStands({});
  return [
    ...(member.isActive ? [MemberDeactivated({ organizationId, userId })] : []),
    ...(isLast && !organization.isClosed ? [OrganizationClosed({ organizationId })] : []),
  ];
}

function chooseEmbeddingModel(
  chosen: Parameters<typeof EmbeddingModelChosen>[0],
  { name, embedding }: Organization,
) {
  if (name === null) return NotFound({ what: 'organization' });
  const { source, connectionId } = embedding;
  if (chosen.source === source && chosen.connectionId === connectionId) return [];
  return [EmbeddingModelChosen(chosen)];
}

function setChatTokenBudget(
  set: Parameters<typeof ChatTokenBudgetSet>[0],
  { name, chatTokens }: Organization,
) {
  if (name === null) return NotFound({ what: 'organization' });
  return set.monthlyTokens === chatTokens ? [] : [ChatTokenBudgetSet(set)];
}

function placeLegalHold(placed: Parameters<typeof LegalHoldPlaced>[0], { hold }: Organization) {
  if (hold === placed.reason) return [];
  return hold === null ? [LegalHoldPlaced(placed)] : LegalHoldStands({});
}

const isOnlyAdmin = ({ members }: Organization, userId: string) =>
  [...members].every(([id, { role, isActive }]) =>
    id === userId ? role === 'Admin' : role !== 'Admin' || !isActive,
  );

function withMember(organization: Organization, userId: string, change: Partial<Member>) {
  const known = organization.members.get(userId) ?? {
    role: 'Viewer',
    lastDay: null,
    isActive: true,
  };
  const members = new Map(organization.members).set(userId, { ...known, ...change });
  return { ...organization, members };
}

type OrganizationRefusal = RefusalOf<
  | typeof NotFound
  | typeof LastAdmin
  | typeof LegalHoldStands
  | typeof MemberNotActive
  | typeof OwnMembership
>;

export const organizationDecider: Decider<
  Organization,
  OrganizationCommand,
  OrganizationEvent,
  OrganizationRefusal
> = {
  initialState: () => ({
    name: null,
    members: new Map(),
    isClosed: false,
    embedding: { source: 'default', connectionId: null },
    chatTokens: null,
    retentionDays: null,
    hold: null,
  }),
  decide(command, organization) {
    switch (command.type) {
      case 'RegisterOrganization':
        return organization.name === null ? [OrganizationRegistered(command.data)] : [];
      case 'AddMember':
        return organization.members.has(command.data.userId) ? [] : [MemberJoined(command.data)];
      case 'ChangeMemberRole':
        return changeRole(command.data, organization);
      case 'DeactivateMember':
        return deactivate(command.data, organization);
      case 'ReactivateMember':
        return reactivate(command.data, organization);
      case 'LeaveForGood':
        return leaveForGood(command.data, organization);
      case 'ChooseEmbeddingModel':
        return chooseEmbeddingModel(command.data, organization);
      case 'SetChatTokenBudget':
        return setChatTokenBudget(command.data, organization);
      case 'ChangeRetentionRule': {
        const isSame = command.data.days === organization.retentionDays;
        return isSame ? [] : [RetentionRuleChanged(command.data)];
      }
      case 'PlaceLegalHold':
        return placeLegalHold(command.data, organization);
      case 'LiftLegalHold':
        return organization.hold === null ? [] : [LegalHoldLifted(command.data)];
    }
  },
  evolve(organization, event) {
    switch (event.type) {
      case 'OrganizationRegistered':
        return { ...organization, name: event.data.name };
      case 'MemberJoined':
      case 'MemberRoleChanged': {
        const { userId, role, lastDay } = event.data;
        return withMember(organization, userId, { role, lastDay });
      }
      case 'MemberDeactivated':
        return withMember(organization, event.data.userId, { isActive: false });
      case 'MemberReactivated':
        return withMember(organization, event.data.userId, { isActive: true });
      case 'OrganizationClosed':
        return { ...organization, isClosed: true };
      case 'ChatTokenBudgetSet':
        return { ...organization, chatTokens: event.data.monthlyTokens };
      case 'RetentionRuleChanged':
        return { ...organization, retentionDays: event.data.days };
      case 'LegalHoldPlaced':
        return { ...organization, hold: event.data.reason };
      case 'LegalHoldLifted':
        return { ...organization, hold: null };
      case 'EmbeddingModelChosen': {
        const { source, connectionId } = event.data;
        return { ...organization, embedding: { source, connectionId } };
      }
    }
  },
};

export const organizationStream: StreamPolicy<
  Organization,
  OrganizationCommand,
  OrganizationEvent,
  OrganizationRefusal
> = {
  category: 'organization',
  decider: organizationDecider,
  begunBy: 'RegisterOrganization',
  events: organizationEvents,
};
