import type { TASK_TYPES } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { useListToolsQuery } from '../tools/tools.api.ts';
import { useGetAssignmentsQuery } from './agents.api.ts';

type TaskType = (typeof TASK_TYPES)[number];

/** What a task of a type works by, among what is assigned to the agent; absent until it is known. */
export function useMeans(agentId: string, type: TaskType) {
  const { data: assigned } = useGetAssignmentsQuery(agentId, { skip: type === 'query' });
  const { data: playbooks } = useListPlaybooksQuery(undefined, { skip: type !== 'playbook' });
  const { data: tools } = useListToolsQuery(undefined, { skip: type !== 'tool_run' });
  if (!assigned) return undefined;
  if (type === 'playbook' && playbooks) {
    const own = playbooks.filter(({ id }) => assigned.playbooks.includes(id));
    const options = own.map(({ id, title }) => ({ value: id, label: title }));
    return { field: 'playbookId', options } as const;
  }
  if (type === 'tool_run' && tools) {
    const own = tools.filter(({ id }) => assigned.tools.includes(id));
    const options = own.map(({ id, name }) => ({ value: id, label: name }));
    return { field: 'toolId', options } as const;
  }
  return undefined;
}
