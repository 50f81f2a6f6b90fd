import {
  NoPlaybookAssigned,
  NoToolAssigned,
} from '@tallyhand/contracts/features/tasks/tasks.refusals';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { chooseFitting } from '@tallyhand/offline-engine/words/choose-fitting';
import type { RequestedTask } from './task.decider.ts';

/** How playbooks and tools are looked up. */
export type Choosing = {
  readonly findPlaybook: (
    id: string,
    organizationId: string,
  ) => Promise<{
    readonly id: string;
    readonly fields: { readonly title: string; readonly description: string };
  } | null>;
  readonly findTool: (
    id: string,
    organizationId: string,
  ) => Promise<{
    readonly id: string;
    readonly fields: { readonly name: string; readonly description: string };
  } | null>;
};

/** What is to be done, and by which agent. */
export type Wanted = {
  readonly agentId: string;
  readonly type: RequestedTask['taskType'];
  readonly input: string;
  readonly playbookId?: string | undefined;
  readonly toolId?: string | undefined;
  readonly retryOf?: string;
};

type Assigned = { readonly playbooks: readonly string[]; readonly tools: readonly string[] };
type Means = { readonly playbookId?: string; readonly toolId?: string };
type Candidate = { readonly id: string; readonly text: string };

/** What a task works by: the one that is named, the only one, or the one that fits best. */
export function chooserOf({ findPlaybook, findTool }: Choosing) {
  async function choosePlaybook({ input, playbookId }: Wanted, candidates: readonly Candidate[]) {
    if (playbookId)
      return candidates.some(({ id }) => id === playbookId) ? { playbookId } : NOT_ITS_PLAYBOOK;
    const chosen = chooseFitting(input, candidates);
    return chosen ? { playbookId: chosen } : NoPlaybookAssigned({});
  }

  async function chooseTool({ input, toolId }: Wanted, candidates: readonly Candidate[]) {
    if (toolId) return candidates.some(({ id }) => id === toolId) ? { toolId } : NOT_ITS_TOOL;
    const chosen = chooseFitting(input, candidates);
    return chosen ? { toolId: chosen } : NoToolAssigned({});
  }

  return async (
    wanted: Wanted,
    assigned: Assigned,
    organizationId: string,
  ): Promise<Means | Refusal> => {
    const { type, playbookId, toolId } = wanted;
    if (playbookId && type !== 'playbook') return wrong('playbookId', ONLY('playbook'));
    if (toolId && type !== 'tool_run') return wrong('toolId', ONLY('tool_run'));
    if (type === 'playbook') {
      const found = await Promise.all(
        assigned.playbooks.map((id) => findPlaybook(id, organizationId)),
      );
      const present = found.filter((one) => one !== null);
      return choosePlaybook(
        wanted,
        present.map(({ id, fields }) => ({ id, text: `${fields.title}\n${fields.description}` })),
      );
    }
    if (type === 'tool_run') {
      const found = await Promise.all(assigned.tools.map((id) => findTool(id, organizationId)));
      const present = found.filter((one) => one !== null);
      return chooseTool(
        wanted,
        present.map(({ id, fields }) => ({ id, text: `${fields.name}\n${fields.description}` })),
      );
    }
    return {};
  };
}

const ONLY = (type: string) => `Only for tasks of the type ${type}`;

const wrong = (path: string, message: string) =>
  ValidationFailed({ summary: `${path}: ${message}.` }, [{ path, message }]);

const NOT_ITS_PLAYBOOK = wrong('playbookId', 'This playbook is not assigned to the agent');
const NOT_ITS_TOOL = wrong('toolId', 'This tool is not assigned to the agent');
