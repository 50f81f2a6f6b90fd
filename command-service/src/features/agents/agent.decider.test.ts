import {
  AgentActivated,
  AgentChanged,
  AgentCreated,
  AgentDeleted,
  AgentPaused,
  AgentResourcesAssigned,
  AgentRestored,
} from '@tallyhand/contracts/features/agents/agents.events';
import type { AgentChange } from '@tallyhand/contracts/features/agents/agents.fields';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { agentDecider, presentAgent } from './agent.decider.ts';

const organizationId = derivedId('organization');
const stranger = derivedId('another organization');
const own = { agentId: derivedId('agent'), organizationId };
const persona = {
  role: 'Support agent',
  personality: 'Patient and kind',
  expertise: ['Returns'],
  communicationStyle: 'friendly' as const,
  responseFormat: 'concise' as const,
};
const texts = { name: 'Support', description: 'Answers questions', persona };
const resources = { articles: [derivedId('article')], playbooks: [], tools: [] };

const create = {
  type: 'CreateAgent' as const,
  data: { ...own, ...texts, isActive: true },
};
const change = (sent: AgentChange, by = organizationId) => ({
  type: 'ChangeAgent' as const,
  data: { organizationId: by, change: sent },
});
const remove = (by = organizationId) => ({
  type: 'DeleteAgent' as const,
  data: { organizationId: by },
});
const restore = (by = organizationId) => ({
  type: 'RestoreAgent' as const,
  data: { organizationId: by },
});
const assign = (to = resources, by = organizationId) => ({
  type: 'AssignResources' as const,
  data: { organizationId: by, ...to },
});

const created = AgentCreated({ ...own, ...texts, isActive: true, version: 1 });
const renamed = AgentChanged({ ...own, version: 2, name: 'Helpdesk' });
const paused = AgentPaused(own);
const deleted = AgentDeleted(own);
const assigned = AgentResourcesAssigned({ ...own, ...resources });

const given = rulesOf(agentDecider);

describe('CreateAgent', () => {
  it('makes the agent in its first version', () => {
    given().when(create).thenAppended(created);
  });
  it('does nothing the second time it arrives', () => {
    given(created, renamed).when(create).thenNothing();
  });
});

describe('ChangeAgent', () => {
  it('records only the texts that change, as the next version', () => {
    given(created)
      .when(change({ name: 'Helpdesk', description: texts.description, personaConfig: persona }))
      .thenAppended(renamed);
    given(created, renamed)
      .when(change({ description: 'Answers everything' }))
      .thenAppended(AgentChanged({ ...own, version: 3, description: 'Answers everything' }));
  });
  it('records a change of the persona whole', () => {
    const other = { ...persona, expertise: ['Returns', 'Delivery'] };
    given(created)
      .when(change({ personaConfig: other }))
      .thenAppended(AgentChanged({ ...own, version: 2, persona: other }));
  });
  it('pauses and activates without a new version', () => {
    given(created)
      .when(change({ isActive: false }))
      .thenAppended(paused);
    given(created, paused)
      .when(change({ isActive: true }))
      .thenAppended(AgentActivated(own));
    expect(given(created, paused).state()).toMatchObject({ version: 1, isActive: false });
  });
  it('records texts and pause together', () => {
    given(created)
      .when(change({ name: 'Helpdesk', isActive: false }))
      .thenAppended(renamed, paused);
  });
  it('does nothing the second time it arrives', () => {
    given(created, renamed)
      .when(change({ name: 'Helpdesk' }))
      .thenNothing();
    given(created, paused)
      .when(change({ isActive: false }))
      .thenNothing();
  });
  it('is refused where there is no agent, a deleted one, or one of another organization', () => {
    given()
      .when(change({ name: 'Helpdesk' }))
      .thenRefused('not-found', { what: 'agent' });
    given(created, deleted)
      .when(change({ isActive: false }))
      .thenRefused('not-found', {
        what: 'agent',
      });
    given(created)
      .when(change({ name: 'Helpdesk' }, stranger))
      .thenRefused('not-found', { what: 'agent' });
  });
});

describe('DeleteAgent', () => {
  it('deletes the agent and hides it from every member', () => {
    given(created).when(remove()).thenAppended(deleted);
    expect(presentAgent(given(created, deleted).state(), organizationId)).toBeNull();
  });
  it('is refused the second time it arrives: there is no such agent', () => {
    given(created, deleted).when(remove()).thenRefused('not-found', { what: 'agent' });
  });
  it('is refused to another organization', () => {
    given(created).when(remove(stranger)).thenRefused('not-found', { what: 'agent' });
  });
});

describe('RestoreAgent', () => {
  it('brings a deleted agent back as it was', () => {
    given(created, renamed, assigned, deleted).when(restore()).thenAppended(AgentRestored(own));
    const state = given(created, renamed, assigned, deleted, AgentRestored(own)).state();
    expect(presentAgent(state, organizationId)).toMatchObject({
      name: 'Helpdesk',
      version: 2,
      assigned: resources,
    });
  });
  it('is refused where nothing is deleted', () => {
    given(created).when(restore()).thenRefused('not-deleted', { what: 'agent' });
    given().when(restore()).thenRefused('not-found', { what: 'agent' });
  });
  it('is refused to another organization', () => {
    given(created, deleted).when(restore(stranger)).thenRefused('not-found', { what: 'agent' });
  });
});

describe('AssignResources', () => {
  it('replaces the previous assignment', () => {
    given(created).when(assign()).thenAppended(assigned);
    const none = { articles: [], playbooks: [], tools: [] };
    given(created, assigned)
      .when(assign(none))
      .thenAppended(AgentResourcesAssigned({ ...own, ...none }));
  });
  it('does nothing the second time it arrives', () => {
    given(created, assigned).when(assign()).thenNothing();
  });
  it('is refused where there is no agent, or one of another organization', () => {
    given().when(assign()).thenRefused('not-found', { what: 'agent' });
    given(created).when(assign(resources, stranger)).thenRefused('not-found', { what: 'agent' });
  });
});
