import type { AnswerEngine, AttachedImage, Passage } from '@tallyhand/agent-runtime/engine';
import type {
  AgentModel,
  AgentProfile,
  FormPolicy,
} from '@tallyhand/contracts/features/agents/agents.fields';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import type { Kit } from '../../kit/app.ts';
import type { CompletionSignals } from '../../kit/completion-signals.ts';
import type { CommandContext } from '../../kit/context.ts';
import type { UsableTool } from '../../kit/tool-approvals.ts';
import type { Playbook } from './follow-playbook.ts';
import type { RequestedTask } from './task.decider.ts';

export type TaskAgent = AgentProfile & {
  readonly version: number;
  readonly articles: readonly string[];
  readonly tools: readonly string[];
  readonly model: AgentModel | null;
  readonly formPolicy?: FormPolicy | undefined;
};

export type TaskRunnerContext = {
  readonly kit: Kit;
  /** The engine that answers for an agent. */
  readonly engineOf: (
    organizationId: string,
    model: AgentModel | null,
    paid: { readonly price: number; readonly isExact: boolean },
  ) => Promise<AnswerEngine>;
  readonly completions: CompletionSignals;
  /** The agent at `since`, or later. */
  readonly findProfile: (
    agentId: string,
    organizationId: string,
    since?: Position,
  ) => Promise<TaskAgent | null>;
  /** The same with the fields of one of its versions. */
  readonly findVersion: (
    agentId: string,
    organizationId: string,
    version: number,
    since?: Position,
  ) => Promise<TaskAgent | null>;
  readonly findPlaybook: (id: string, organizationId: string) => Promise<Playbook | null>;
  /** Those of the ids that tasks can call; with `readsOnly`, as far as that changes nothing. */
  readonly findTools: (
    ids: readonly string[],
    organizationId: string,
    taskId: string,
    use: { readonly readsOnly: boolean; readonly formPolicy: FormPolicy | undefined },
  ) => Promise<readonly UsableTool[]>;
  /** Closes what the task's tools have opened. */
  readonly closeTools: (taskId: string) => void;
  readonly findPassages: (
    organizationId: string,
    articles: readonly string[],
    question: string,
    options: { readonly since: Position },
  ) => Promise<Passage[]>;
  /** The files of a task as an engine takes them. */
  readonly openAttachments: (
    organizationId: string,
    attachments: NonNullable<RequestedTask['attachments']>,
  ) => Promise<{
    readonly images: readonly AttachedImage[];
    readonly passagesFor: (question: string) => Passage[];
  }>;
  /** The context of a task that no member asked for, or null. */
  readonly findBackground: (taskId: string) => Promise<string | null>;
  /** Extends the reservation during long work. */
  readonly keep: (context: CommandContext, task: RequestedTask) => Promise<unknown>;
  /** Charges or releases the reservation, by how the task ended. */
  readonly settle: (context: CommandContext, task: EndedTask) => Promise<void>;
};

export type EndedTask = Pick<RequestedTask, 'organizationId' | 'taskId' | 'end'>;
