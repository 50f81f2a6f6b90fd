import {
  NoPlaybookAssigned,
  NoToolAssigned,
} from '@tallyhand/contracts/features/tasks/tasks.refusals';
import { invalidField } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { chooseFitting } from '@tallyhand/offline-engine/words/terms';
import type { RequestedTask } from './task.decider.ts';

/** How playbooks and tools are found. */
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

/** The requested work, and its agent. */
export type Wanted = {
  readonly agentId: string;
  readonly type: RequestedTask['taskType'];
  readonly input: string;
  /** The conversation before the input. Untrusted text. */
  readonly context?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly playbookId?: string | undefined;
  readonly toolId?: string | undefined;
  readonly retryOf?: string;
  /** Uploaded files that the caller sends. */
  readonly attachmentIds?: readonly string[] | undefined;
  /** Of the task that this one retries. */
  readonly attachments?: RequestedTask['attachments'];
  /** Of the task that this one retries. */
  readonly comparison?: RequestedTask['comparison'];
};

type Assigned = { readonly playbooks: readonly string[]; readonly tools: readonly string[] };
type Chosen = { readonly playbookId?: string; readonly toolId?: string };

/** Chooses the playbook or tool of a task: the requested one, the only one, or the best match. */
export async function chooseResource(
  { findPlaybook, findTool }: Choosing,
  { type, input, playbookId, toolId }: Wanted,
  assigned: Assigned,
  organizationId: string,
): Promise<Chosen | Refusal> {
  if (playbookId && type !== 'playbook') return invalidField('playbookId', ONLY('playbook'));
  if (toolId && type !== 'tool_run') return invalidField('toolId', ONLY('tool_run'));
  if (type === 'playbook') {
    const all = await Promise.all(assigned.playbooks.map((id) => findPlaybook(id, organizationId)));
    const candidates = all.flatMap((one) =>
      one ? [{ id: one.id, text: `${one.fields.title}\n${one.fields.description}` }] : [],
    );
    const chosen = requestedOrFitting(playbookId, input, candidates);
    if (chosen) return { playbookId: chosen };
    return playbookId ? NOT_ITS_PLAYBOOK : NoPlaybookAssigned({});
  }
  if (type === 'tool_run') {
    const all = await Promise.all(assigned.tools.map((id) => findTool(id, organizationId)));
    const candidates = all.flatMap((one) =>
      one ? [{ id: one.id, text: `${one.fields.name}\n${one.fields.description}` }] : [],
    );
    const chosen = requestedOrFitting(toolId, input, candidates);
    if (chosen) return { toolId: chosen };
    return toolId ? NOT_ITS_TOOL : NoToolAssigned({});
  }
  return {};
}

function requestedOrFitting(
  requested: string | undefined,
  input: string,
  candidates: readonly { readonly id: string; readonly text: string }[],
): string | null {
  if (!requested) return chooseFitting(input, candidates);
  return candidates.some(({ id }) => id === requested) ? requested : null;
}

const ONLY = (type: string) => `Only for tasks of the type ${type}`;

const NOT_ITS_PLAYBOOK = invalidField('playbookId', 'This playbook is not assigned to the agent');
const NOT_ITS_TOOL = invalidField('toolId', 'This tool is not assigned to the agent');
