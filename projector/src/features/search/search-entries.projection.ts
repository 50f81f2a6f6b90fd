import { agentEvents } from '@tallyhand/contracts/features/agents/agents.events';
import { articleEvents } from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { playbookEvents } from '@tallyhand/contracts/features/playbooks/playbooks.events';
import { sessionEvents } from '@tallyhand/contracts/features/sessions/sessions.events';
import { taskEvents } from '@tallyhand/contracts/features/tasks/tasks.events';
import { toolEvents } from '@tallyhand/contracts/features/tools/tools.events';
import type { EventsOf } from '@tallyhand/contracts/kernel/messages';
import {
  SEARCHED_TEXT_MAX,
  searchModel,
} from '@tallyhand/read-models/features/search/search.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { rowProjection } from '../../kernel/row-projection.ts';

const { AgentCreated, AgentChanged, AgentDeleted, AgentRestored } = agentEvents;
const { ArticleCreated, ArticleChanged, ArticleDeleted, ArticleRestored } = articleEvents;
const { PlaybookCreated, PlaybookChanged, PlaybookDeleted, PlaybookRestored } = playbookEvents;
const { ToolCreated, ToolChanged, ToolDeleted, ToolRestored } = toolEvents;
const { TaskRequested } = taskEvents;
const { SessionRequested } = sessionEvents;

const kinds = {
  AgentCreated,
  AgentChanged,
  AgentDeleted,
  AgentRestored,
  ArticleCreated,
  ArticleChanged,
  ArticleDeleted,
  ArticleRestored,
  PlaybookCreated,
  PlaybookChanged,
  PlaybookDeleted,
  PlaybookRestored,
  ToolCreated,
  ToolChanged,
  ToolDeleted,
  ToolRestored,
  TaskRequested,
  SessionRequested,
};
type SearchedEvent = EventsOf<typeof kinds>;
type FirstEvent =
  | `${'Agent' | 'Article' | 'Playbook' | 'Tool'}Created`
  | 'TaskRequested'
  | 'SessionRequested';

type Entry = Row<'search_entries'>;

function idOf(data: SearchedEvent['data']): string {
  if ('taskId' in data) return data.taskId;
  if ('sessionId' in data) return data.sessionId;
  if ('articleId' in data) return data.articleId;
  if ('playbookId' in data) return data.playbookId;
  return 'toolId' in data ? data.toolId : data.agentId;
}

function entry(
  kind: Entry['kind'],
  data: SearchedEvent['data'],
  at: string,
  texts: Pick<Entry, 'title'> & Partial<Pick<Entry, 'label' | 'description' | 'tags' | 'agent_id'>>,
): Entry {
  const none = { label: null, description: '', tags: '', agent_id: null };
  const { organizationId } = data;
  return {
    entry_id: idOf(data),
    organization_id: organizationId,
    kind,
    ...none,
    ...texts,
    created_at: at,
    deleted_at: null,
  };
}

const start = (text: string) => text.slice(0, SEARCHED_TEXT_MAX);

const joined = (tags: readonly string[]) => tags.join(' ');

const removed = (row: Entry, _: unknown, { at }: { readonly at: string }): Entry => ({
  ...row,
  deleted_at: at,
});
const restored = (row: Entry): Entry => ({ ...row, deleted_at: null });

type Filed = { readonly title?: string; readonly category?: string; readonly tags?: string[] };

const filed = (row: Entry, { title, category, tags }: Filed): Entry => ({
  ...row,
  title: title ?? row.title,
  label: category ?? row.label,
  tags: tags ? joined(tags) : row.tags,
});

export const searchEntriesProjection = rowProjection<SearchedEvent, 'search_entries', FirstEvent>({
  model: searchModel,
  kinds,
  table: 'search_entries',
  key: 'entry_id',
  idOf,
  first: {
    AgentCreated: (data, { at }) => {
      const { name: title, description, persona } = data;
      return entry('agent', data, at, { title, description, label: persona.role });
    },
    ArticleCreated: (data, { at }) => {
      const { title, category: label, tags } = data;
      return entry('article', data, at, { title, label, tags: joined(tags) });
    },
    PlaybookCreated: (data, { at }) => {
      const { title, description, category: label, tags } = data;
      return entry('playbook', data, at, { title, description, label, tags: joined(tags) });
    },
    ToolCreated: (data, { at }) => {
      const { name: title, description } = data;
      return entry('tool', data, at, { title, description });
    },
    TaskRequested: (data, { at }) =>
      entry('task', data, at, { title: start(data.input), agent_id: data.agentId }),
    SessionRequested: (data, { at }) =>
      entry('session', data, at, { title: start(data.goal), agent_id: data.agentId }),
  },
  next: {
    AgentChanged: (row, { name, description, persona }) => ({
      ...row,
      title: name ?? row.title,
      description: description ?? row.description,
      label: persona?.role ?? row.label,
    }),
    AgentDeleted: removed,
    AgentRestored: restored,
    ArticleChanged: filed,
    ArticleDeleted: removed,
    ArticleRestored: restored,
    PlaybookChanged: (row, data) => ({
      ...filed(row, data),
      description: data.description ?? row.description,
    }),
    PlaybookDeleted: removed,
    PlaybookRestored: restored,
    ToolChanged: (row, { name, description }) => ({
      ...row,
      title: name ?? row.title,
      description: description ?? row.description,
    }),
    ToolDeleted: removed,
    ToolRestored: restored,
  },
});
