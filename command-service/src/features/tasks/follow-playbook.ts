import type {
  Answer,
  AnswerEngine,
  AnswerTurns,
  AttachedImage,
  EngineTool,
  Passage,
} from '@tallyhand/agent-runtime/engine';
import type { UsageMeter } from '@tallyhand/agent-runtime/usage-meter';
import type { AgentProfile } from '@tallyhand/contracts/features/agents/agents.fields';
import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import { stepSection } from '@tallyhand/contracts/features/tasks/task-progress';
import type { DoneStep } from './task.decider.ts';

/** How much of the output of each earlier step a later step gets. */
const OUTPUT_PASSED_MAX = 4_000;

export type Playbook = {
  readonly playbookId: string;
  readonly version: number;
  readonly title: string;
  readonly steps: readonly string[];
};

type CompletedStep = DoneStep & {
  readonly executionTimeMs: number;
  readonly usage: ModelUsage[] | undefined;
};

type Following = {
  readonly engine: AnswerEngine;
  readonly agent: AgentProfile;
  readonly playbook: Playbook;
  /** The member's request. */
  readonly input: string;
  /** Steps that an earlier worker has completed. */
  readonly done: readonly DoneStep[];
  /** The tools of a step. */
  readonly toolsFor: (step: number) => readonly EngineTool[];
  readonly turnsFor: (step: number) => AnswerTurns;
  readonly findPassages: (question: string) => Promise<Passage[]>;
  /** Of the member's request; each step gets them. */
  readonly images: readonly AttachedImage[];
  readonly completed: (step: CompletedStep) => Promise<void>;
  readonly meter: UsageMeter;
  readonly signal: AbortSignal;
};

/** Runs the steps of a playbook in order, and combines their outputs. */
export async function followPlaybook(following: Following): Promise<Answer> {
  const { engine, agent, playbook, input, toolsFor, turnsFor, findPassages, images } = following;
  const { completed, meter, signal } = following;
  const done = [...following.done];
  for (const [at, instruction] of playbook.steps.entries()) {
    if (at < done.length) continue;
    const started = Date.now();
    const passages = await findPassages(`${instruction}\n${input}`);
    const context = contextOf(input, done);
    const answer = await engine.answer({
      agent,
      input: instruction,
      context,
      passages,
      images,
      signal,
      tools: toolsFor(at + 1),
      turns: turnsFor(at + 1),
      onModelCall: meter.note,
    });
    const { output, sources } = answer;
    const executionTimeMs = Date.now() - started;
    const step = { ordinal: at + 1, instruction, output, sources, executionTimeMs };
    await completed({ ...step, usage: meter.take() });
    done.push(step);
  }
  const count = done.length;
  return {
    output: done.map(stepSection).join('\n\n'),
    reasoning: `Followed the playbook "${playbook.title}" (version ${playbook.version}), ${count} ${count === 1 ? 'step' : 'steps'} in order.`,
    sources: withoutRepeats(done.flatMap((step) => step.sources)),
    model: engine.model,
  };
}

function contextOf(input: string, done: readonly DoneStep[]): string {
  const results = done.map(
    ({ ordinal, instruction, output }) =>
      `Step ${ordinal}: ${instruction}\nResult: ${output.slice(0, OUTPUT_PASSED_MAX)}`,
  );
  return [`What the person asked for: ${input}`, ...results].join('\n\n');
}

function withoutRepeats(sources: Answer['sources']): Answer['sources'] {
  const seen = new Map(sources.map((one) => [`${one.articleId} ${one.ordinal} ${one.quote}`, one]));
  return [...seen.values()];
}
