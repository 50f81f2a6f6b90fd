import {
  AgentChanged,
  AgentCreated,
  AgentDeleted,
  AgentRestored,
} from '@tallyhand/contracts/features/agents/agents.events';
import {
  ArticleChanged,
  ArticleCreated,
  ArticleDeleted,
  ArticleRestored,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import {
  PlaybookChanged,
  PlaybookCreated,
  PlaybookDeleted,
  PlaybookRestored,
} from '@tallyhand/contracts/features/playbooks/playbooks.events';
import { SessionRequested } from '@tallyhand/contracts/features/sessions/sessions.events';
import { TaskRequested } from '@tallyhand/contracts/features/tasks/tasks.events';
import {
  ToolChanged,
  ToolCreated,
  ToolDeleted,
  ToolRestored,
} from '@tallyhand/contracts/features/tools/tools.events';
import type { EventOf } from '@tallyhand/contracts/kernel/messages';
import {
  SEARCHED_TEXT_MAX,
  searchModel,
} from '@tallyhand/read-models/features/search/search.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { deletedRow, restoredRow, rowProjection } from '../../kernel/row-projection.ts';

type Texts = Partial<Pick<Row<'search_entries'>, 'title' | 'label' | 'description' | 'tags'>>;
type Data<K> = EventOf<K>['data'];

/** The searched texts of each kind; for a change only the changed ones. */
const agentTexts = ({ name, description, persona }: Data<typeof AgentChanged>): Texts => ({
  title: name,
  description,
  label: persona?.role,
});
const articleTexts = ({ title, category, tags }: Data<typeof ArticleChanged>): Texts => ({
  title,
  label: category,
  tags: tags?.join(' '),
});
const playbookTexts = ({
  title,
  description,
  category,
  tags,
}: Data<typeof PlaybookChanged>): Texts => ({
  title,
  description,
  label: category,
  tags: tags?.join(' '),
});
const toolTexts = ({ name, description }: Data<typeof ToolChanged>): Texts => ({
  title: name,
  description,
});

/** Only the beginning of a task's or session's input is searched. */
const start = (text: string) => text.slice(0, SEARCHED_TEXT_MAX);

const entry = (
  kind: Row<'search_entries'>['kind'],
  entry_id: string,
  { title = '', label, description = '', tags = '' }: Texts,
  agent_id: string | null = null,
) => ({ entry_id, kind, title, label, description, tags, agent_id });

export const searchEntriesProjection = rowProjection({
  model: searchModel,
  kinds: {
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
  },
  table: 'search_entries',
  idOf(data) {
    if ('taskId' in data) return data.taskId;
    if ('sessionId' in data) return data.sessionId;
    if ('articleId' in data) return data.articleId;
    if ('playbookId' in data) return data.playbookId;
    return 'toolId' in data ? data.toolId : data.agentId;
  },
  first: {
    AgentCreated: (data) => entry('agent', data.agentId, agentTexts(data)),
    ArticleCreated: (data) => entry('article', data.articleId, articleTexts(data)),
    PlaybookCreated: (data) => entry('playbook', data.playbookId, playbookTexts(data)),
    ToolCreated: (data) => entry('tool', data.toolId, toolTexts(data)),
    TaskRequested: ({ taskId, input, agentId }) =>
      entry('task', taskId, { title: start(input) }, agentId),
    SessionRequested: ({ sessionId, goal, agentId }) =>
      entry('session', sessionId, { title: start(goal) }, agentId),
  },
  next: {
    AgentChanged: (_, data) => agentTexts(data),
    AgentDeleted: deletedRow,
    AgentRestored: restoredRow,
    ArticleChanged: (_, data) => articleTexts(data),
    ArticleDeleted: deletedRow,
    ArticleRestored: restoredRow,
    PlaybookChanged: (_, data) => playbookTexts(data),
    PlaybookDeleted: deletedRow,
    PlaybookRestored: restoredRow,
    ToolChanged: (_, data) => toolTexts(data),
    ToolDeleted: deletedRow,
    ToolRestored: restoredRow,
  },
});
