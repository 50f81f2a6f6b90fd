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
  OrganizationRegistered,
  RetentionRuleChanged,
} from '@tallyhand/contracts/features/organizations/organizations.events';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { organizationStream } from './organization.decider.ts';

const organizationId = derivedId('organization');
const admin = {
  organizationId,
  userId: derivedId('admin'),
  role: 'Admin',
  lastDay: null,
  invitationId: null,
} as const;
const viewer = {
  ...admin,
  userId: derivedId('viewer'),
  role: 'Viewer',
  invitationId: derivedId('invitation'),
} as const;

const register = (name: string) => ({
  type: 'RegisterOrganization' as const,
  data: { organizationId, name },
});
const add = (member: Parameters<typeof MemberJoined>[0]) => ({
  type: 'AddMember' as const,
  data: member,
});

const registered = OrganizationRegistered({ organizationId, name: 'Harbour' });

const of = (userId: string) => ({ organizationId, userId });
const deactivated = (userId: string) => MemberDeactivated(of(userId));
const reactivated = (userId: string) => MemberReactivated(of(userId));
const usualLastDay = '2026-12-28';
const gotRole = (userId: string, role: Role, lastDay: string | null = null) =>
  MemberRoleChanged({ ...of(userId), role, lastDay });
const changeRole = (
  userId: string,
  role: Role,
  by = admin.userId,
  lastDay: string | null = null,
) => ({
  type: 'ChangeMemberRole' as const,
  data: { ...of(userId), role, by, lastDay, usualLastDay },
});
const deactivate = (userId: string, by: string | null = admin.userId) => ({
  type: 'DeactivateMember' as const,
  data: { ...of(userId), by },
});
const reactivate = (userId: string) => ({
  type: 'ReactivateMember' as const,
  data: of(userId),
});
const second = { ...viewer, userId: derivedId('second admin'), role: 'Admin' } as const;
const team = [registered, MemberJoined(admin), MemberJoined(viewer)];

const given = rulesOf(organizationStream);

describe('RegisterOrganization', () => {
  it('names the organization', () => {
    given().when(register('Harbour')).thenAppended(registered);
  });
  it('does nothing the second time it arrives', () => {
    given(registered).when(register('Harbour')).thenNothing();
  });
});

describe('AddMember', () => {
  it('adds the member with their role', () => {
    given(registered).when(add(admin)).thenAppended(MemberJoined(admin));
    given(registered, MemberJoined(admin)).when(add(viewer)).thenAppended(MemberJoined(viewer));
  });
  it('does nothing the second time it arrives, whatever role it names', () => {
    given(registered, MemberJoined(viewer)).when(add(viewer)).thenNothing();
    given(registered, MemberJoined(viewer))
      .when(add({ ...viewer, role: 'Admin' }))
      .thenNothing();
    const { members } = given(registered, MemberJoined(viewer)).state();
    expect(members.get(viewer.userId)).toEqual({ role: 'Viewer', lastDay: null, isActive: true });
  });
});

describe('ChangeMemberRole', () => {
  it('assigns the role to the member', () => {
    given(...team)
      .when(changeRole(viewer.userId, 'Admin'))
      .thenAppended(gotRole(viewer.userId, 'Admin'));
  });
  it('does nothing if the member has the role', () => {
    given(...team)
      .when(changeRole(viewer.userId, 'Viewer'))
      .thenNothing();
    given(...team, gotRole(viewer.userId, 'Editor'))
      .when(changeRole(viewer.userId, 'Editor'))
      .thenNothing();
  });
  it('gives an Auditor the last day that the Admin chose, or the usual one', () => {
    given(...team)
      .when(changeRole(viewer.userId, 'Auditor', admin.userId, '2027-01-31'))
      .thenAppended(gotRole(viewer.userId, 'Auditor', '2027-01-31'));
    given(...team)
      .when(changeRole(viewer.userId, 'Auditor'))
      .thenAppended(gotRole(viewer.userId, 'Auditor', usualLastDay));
  });
  it("changes an Auditor's last day, and leaves it without a new one", () => {
    const auditor = given(...team, gotRole(viewer.userId, 'Auditor', '2027-01-31'));
    auditor
      .when(changeRole(viewer.userId, 'Auditor', admin.userId, '2026-12-01'))
      .thenAppended(gotRole(viewer.userId, 'Auditor', '2026-12-01'));
    auditor.when(changeRole(viewer.userId, 'Auditor')).thenNothing();
    auditor
      .when(changeRole(viewer.userId, 'Editor'))
      .thenAppended(gotRole(viewer.userId, 'Editor'));
  });
  it('never makes the only Admin an Auditor', () => {
    given(...team, MemberJoined(second), deactivated(second.userId))
      .when(changeRole(admin.userId, 'Auditor', second.userId))
      .thenRefused('last-admin');
  });
  it('is refused to an Admin for themselves', () => {
    given(...team, MemberJoined(second))
      .when(changeRole(admin.userId, 'Viewer', admin.userId))
      .thenRefused('own-membership');
  });
  it('leaves one Admin when two demote each other at once', () => {
    given(...team, MemberJoined(second))
      .when(changeRole(second.userId, 'Viewer', admin.userId))
      .thenAppended(gotRole(second.userId, 'Viewer'));
    given(...team, MemberJoined(second), gotRole(second.userId, 'Viewer'))
      .when(changeRole(admin.userId, 'Viewer', second.userId))
      .thenRefused('last-admin');
  });
  it('does not count removed Admins', () => {
    given(...team, MemberJoined(second), deactivated(second.userId))
      .when(changeRole(admin.userId, 'Viewer', second.userId))
      .thenRefused('last-admin');
  });
  it('is refused for a removed member, and for an unknown one', () => {
    given(...team, deactivated(viewer.userId))
      .when(changeRole(viewer.userId, 'Editor'))
      .thenRefused('member-not-active');
    given(...team)
      .when(changeRole(second.userId, 'Editor'))
      .thenRefused('not-found', { what: 'member' });
  });
});

describe('DeactivateMember', () => {
  it('removes the member', () => {
    given(...team)
      .when(deactivate(viewer.userId))
      .thenAppended(deactivated(viewer.userId));
  });
  it('does nothing the second time it arrives', () => {
    given(...team, deactivated(viewer.userId))
      .when(deactivate(viewer.userId))
      .thenNothing();
  });
  it('is refused to an Admin for themselves, who may leave while another remains', () => {
    given(...team, MemberJoined(second))
      .when(deactivate(admin.userId, admin.userId))
      .thenRefused('own-membership');
    given(...team, MemberJoined(second))
      .when(deactivate(admin.userId, null))
      .thenAppended(deactivated(admin.userId));
  });
  it('is refused for the last Admin, regardless of the caller', () => {
    given(...team)
      .when(deactivate(admin.userId, null))
      .thenRefused('last-admin');
    given(...team)
      .when(deactivate(admin.userId, second.userId))
      .thenRefused('last-admin');
  });
  it('is refused for an unknown member', () => {
    given(...team)
      .when(deactivate(second.userId))
      .thenRefused('not-found', { what: 'member' });
  });
});

describe('ReactivateMember', () => {
  it('readmits the member with the previous role', () => {
    given(...team, gotRole(viewer.userId, 'Editor'), deactivated(viewer.userId))
      .when(reactivate(viewer.userId))
      .thenAppended(reactivated(viewer.userId));
    const state = given(
      ...team,
      gotRole(viewer.userId, 'Editor'),
      deactivated(viewer.userId),
      reactivated(viewer.userId),
    ).state();
    expect(state.members.get(viewer.userId)).toEqual({
      role: 'Editor',
      lastDay: null,
      isActive: true,
    });
  });
  it('does nothing for an active member', () => {
    given(...team)
      .when(reactivate(viewer.userId))
      .thenNothing();
  });
  it('is refused for an unknown member', () => {
    given(...team)
      .when(reactivate(second.userId))
      .thenRefused('not-found', { what: 'member' });
  });
});

describe('LeaveForGood', () => {
  const leave = (userId: string) => ({ type: 'LeaveForGood' as const, data: of(userId) });
  const closed = OrganizationClosed({ organizationId });
  it('removes the member', () => {
    given(...team)
      .when(leave(viewer.userId))
      .thenAppended(deactivated(viewer.userId));
  });
  it('is refused to the only Admin while others are there', () => {
    given(...team)
      .when(leave(admin.userId))
      .thenRefused('last-admin');
    given(...team, MemberJoined(second))
      .when(leave(admin.userId))
      .thenAppended(deactivated(admin.userId));
  });
  it('closes the organization with its last active member', () => {
    given(...team, deactivated(viewer.userId))
      .when(leave(admin.userId))
      .thenAppended(deactivated(admin.userId), closed);
    expect(given(registered, MemberJoined(admin), closed).state().isClosed).toBe(true);
  });
  it('does nothing the second time it arrives', () => {
    given(registered, MemberJoined(admin), deactivated(admin.userId), closed)
      .when(leave(admin.userId))
      .thenNothing();
    given(...team, deactivated(viewer.userId))
      .when(leave(viewer.userId))
      .thenNothing();
  });
});

describe('ChooseEmbeddingModel', () => {
  const choice = (connectionId: string | null) => ({
    organizationId,
    source: connectionId === null ? ('default' as const) : ('connection' as const),
    connectionId,
  });
  const choose = (connectionId: string | null) => ({
    type: 'ChooseEmbeddingModel' as const,
    data: choice(connectionId),
  });
  const connectionId = derivedId('connection');

  it('changes the choice, which is the default at first', () => {
    const chosen = EmbeddingModelChosen(choice(connectionId));
    given(registered).when(choose(connectionId)).thenAppended(chosen);
    given(registered).when(choose(null)).thenNothing();
    given(registered, chosen).when(choose(connectionId)).thenNothing();
  });

  it('is refused for an unknown organization', () => {
    given().when(choose(null)).thenRefused('not-found', { what: 'organization' });
  });
});

describe('SetChatTokenBudget', () => {
  const budget = (monthlyTokens: number | null) => ({ organizationId, monthlyTokens });
  const set = (monthlyTokens: number | null) => ({
    type: 'SetChatTokenBudget' as const,
    data: budget(monthlyTokens),
  });

  it('changes the budget; there is none at first', () => {
    const limited = ChatTokenBudgetSet(budget(0));
    given(registered).when(set(0)).thenAppended(limited);
    given(registered).when(set(null)).thenNothing();
    given(registered, limited).when(set(0)).thenNothing();
    given(registered, limited)
      .when(set(null))
      .thenAppended(ChatTokenBudgetSet(budget(null)));
  });

  it('is refused for an unknown organization', () => {
    given().when(set(1)).thenRefused('not-found', { what: 'organization' });
  });
});

describe('ChangeRetentionRule', () => {
  const changed = (days: number | null) => RetentionRuleChanged({ organizationId, days });
  const change = (days: number | null) => ({
    type: 'ChangeRetentionRule' as const,
    data: { organizationId, days },
  });

  it('changes the days; there is no rule at first', () => {
    given(registered).when(change(30)).thenAppended(changed(30));
    given(registered).when(change(null)).thenNothing();
    given(registered, changed(30)).when(change(30)).thenNothing();
    given(registered, changed(30)).when(change(null)).thenAppended(changed(null));
  });
});

describe('PlaceLegalHold and LiftLegalHold', () => {
  const placed = LegalHoldPlaced({ organizationId, reason: 'Case 1' });
  const lifted = LegalHoldLifted({ organizationId });
  const place = (reason: string) => ({
    type: 'PlaceLegalHold' as const,
    data: { organizationId, reason },
  });
  const lift = { type: 'LiftLegalHold' as const, data: { organizationId } };

  it('allow one hold at a time', () => {
    given(registered).when(place('Case 1')).thenAppended(placed);
    given(registered, placed).when(place('Case 1')).thenNothing();
    given(registered, placed).when(place('Case 2')).thenRefused('legal-hold');
    given(registered, placed, lifted).when(place('Case 1')).thenAppended(placed);
  });

  it('lift it once', () => {
    given(registered, placed).when(lift).thenAppended(lifted);
    given(registered).when(lift).thenNothing();
  });
});
