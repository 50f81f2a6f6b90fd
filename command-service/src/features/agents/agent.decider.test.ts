import {
  AgentActivated,
  AgentChanged,
  AgentCreated,
  AgentPaused,
  AgentResourcesAssigned,
} from '@tallyhand/contracts/features/agents/agents.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { type AgentFields, agentStream } from './agent.decider.ts';

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
const texts = { name: 'Support', description: 'Answers questions', persona, model: null };
const none = { articles: [], playbooks: [], tools: [] };
const resources = { ...none, articles: [derivedId('article')] };

const _create = {
  type: 'Create' as const,
  data: { id: own.agentId, organizationId, fields: { ...texts, ...none, isActive: true } },
};
const change = (sent: Partial<AgentFields>, by = organizationId) => ({
  type: 'Change' as const,
  data: { organizationId: by, change: sent },
});
const assign = (to = resources, by = organizationId) => ({
  type: 'AssignResources' as const,
  data: { organizationId: by, ...to },
});

const created = AgentCreated({ ...own, ...texts, ...none, isActive: true, version: 1 });
const renamed = AgentChanged({ ...own, version: 2, name: 'Helpdesk' });
const paused = AgentPaused(own);
const assigned = AgentResourcesAssigned({ ...own, ...resources });

const given = rulesOf(agentStream);

describe('changing an agent', () => {
  it('records the changed texts as the next version, a persona as a whole', () => {
    given(created)
      .when(change({ name: 'Helpdesk', description: texts.description, persona }))
      .thenAppended(renamed);
    const other = { ...persona, expertise: ['Returns', 'Delivery'] };
    given(created)
      .when(change({ persona: other }))
      .thenAppended(AgentChanged({ ...own, version: 2, persona: other }));
  });
  it('pauses and activates without a new version', () => {
    given(created)
      .when(change({ isActive: false }))
      .thenAppended(paused);
    given(created, paused)
      .when(change({ isActive: true }))
      .thenAppended(AgentActivated(own));
    expect(given(created, paused).state()).toMatchObject({
      version: 1,
      fields: { isActive: false },
    });
  });
  it('records texts and pause together', () => {
    given(created)
      .when(change({ name: 'Helpdesk', isActive: false }))
      .thenAppended(renamed, paused);
  });
  it('records texts and resources together as one version', () => {
    const both = AgentChanged({ ...own, version: 2, name: 'Helpdesk', ...resources });
    given(created)
      .when(change({ name: 'Helpdesk', ...resources }))
      .thenAppended(
        AgentChanged({ ...own, version: 2, name: 'Helpdesk', articles: resources.articles }),
      );
    expect(given(created, both).state()?.fields).toMatchObject(resources);
  });
  it('records resources alone without a new version, and keeps the lists that are not sent', () => {
    given(created)
      .when(change({ name: texts.name, articles: resources.articles }))
      .thenAppended(assigned);
    const playbooks = [derivedId('playbook')];
    given(created, assigned)
      .when(change({ playbooks }))
      .thenAppended(AgentResourcesAssigned({ ...own, ...resources, playbooks }));
  });
  it('does nothing the second time it arrives', () => {
    given(created, paused)
      .when(change({ isActive: false }))
      .thenNothing();
  });
  it('is refused in another organization', () => {
    given(created)
      .when(change({ isActive: false }, stranger))
      .thenRefused('not-found', { what: 'agent' });
  });
});

describe('the form policy of an agent', () => {
  const by = (role: 'Admin' | 'Editor', formPolicy: 'allow' | 'ask' | 'never') => {
    const { type, data } = change({ formPolicy });
    return { type, data: { ...data, role } };
  };
  const asking = AgentCreated({ ...created.data, formPolicy: 'ask' });
  const changed = (formPolicy: 'allow' | 'ask' | 'never') =>
    AgentChanged({ ...own, version: 2, formPolicy });

  it('is loosened by Admins only', () => {
    given(asking).when(by('Editor', 'allow')).thenRefused('form-policy-needs-admin');
    given(asking).when(by('Admin', 'allow')).thenAppended(changed('allow'));
    given(asking).when(by('Editor', 'never')).thenAppended(changed('never'));
    given(asking).when(by('Editor', 'ask')).thenNothing();
  });
  it('of an agent from before may be set by every editor, since nothing is looser', () => {
    given(created).when(by('Editor', 'ask')).thenAppended(changed('ask'));
    given(created).when(by('Editor', 'allow')).thenAppended(changed('allow'));
  });
});

describe('restoring an older version', () => {
  it('brings its texts back, and neither its pause nor its resources', () => {
    const older = { version: 1, fields: { ...texts, ...none, isActive: true } };
    given(created, renamed, paused, assigned)
      .when({ type: 'Restore', data: { organizationId, older } })
      .thenAppended(AgentChanged({ ...own, version: 3, name: texts.name, restoredFrom: 1 }));
    expect(given(created, assigned, renamed).state()?.fields).toMatchObject(resources);
  });
});

describe('assigning resources', () => {
  it('replaces what was assigned', () => {
    given(created).when(assign()).thenAppended(assigned);
    given(created, assigned)
      .when(assign(none))
      .thenAppended(AgentResourcesAssigned({ ...own, ...none }));
  });
  it('does nothing the second time it arrives', () => {
    given(created, assigned).when(assign()).thenNothing();
  });
  it('is refused if the assignments are not those that the caller saw', () => {
    const seen = (...ifMatch: string[]) => {
      const command = assign(none);
      return { ...command, data: { ...command.data, ifMatch } };
    };
    const emptied = AgentResourcesAssigned({ ...own, ...none });
    given(created, assigned).when(seen('"1"')).thenAppended(emptied);
    given(created, assigned, renamed, paused).when(seen('"0"', '"1"')).thenAppended(emptied);
    const changed = { what: 'assignment', version: 2, etag: '"2"' };
    const together = AgentChanged({ ...own, version: 2, ...resources });
    given(created, assigned, emptied).when(seen('"1"')).thenRefused('version-changed', changed);
    given(created, assigned, together).when(seen('"1"')).thenRefused('version-changed', changed);
  });
  it('is refused for an unknown agent, and for another organization', () => {
    given().when(assign()).thenRefused('not-found', { what: 'agent' });
    given(created).when(assign(resources, stranger)).thenRefused('not-found', { what: 'agent' });
  });
});
