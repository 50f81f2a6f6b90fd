import {
  askApproval,
  beginStep,
  completeStep,
  endSession,
  handBackIdle,
  notePersonStep,
  openedBrowser,
  planStep,
  type StepReport,
  useTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { Outcome } from '@tallyhand/contracts/features/sessions/sessions.fields';
import type { AnswerOf, BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import type { CommandClient } from './command-client.ts';

export type SessionEnding = {
  readonly reason: BodyOf<typeof endSession>['reason'];
  readonly error: string | null;
  readonly code: string | null;
  readonly params: SentenceParams;
  readonly outcome: Outcome | null;
};

/** The calls of one session's loop to the command service. */
export type SessionApi = {
  opened(browserSessionId: string, model: string): Promise<void>;
  begin(stepNumber: number): Promise<AnswerOf<typeof beginStep>['answer']>;
  /** May be repeated: only the model sees it. */
  planStep(
    asked: Omit<BodyOf<typeof planStep>, 'runnerId'>,
    signal: AbortSignal,
  ): Promise<AnswerOf<typeof planStep>>;
  complete(stepNumber: number, step: StepReport): Promise<void>;
  notePersonStep(memberId: string, stepId: string, step: StepReport): Promise<void>;
  /** Whether a call may be made; repeated while a person decides. */
  ask(
    stepNumber: number,
    call: BodyOf<typeof askApproval>['call'],
    signal: AbortSignal,
  ): Promise<AnswerOf<typeof askApproval>>;
  /** Tools may change something: a call without an answer is not made again. */
  useTool(
    tool: Omit<BodyOf<typeof useTool>, 'runnerId'>,
    signal: AbortSignal,
  ): Promise<AnswerOf<typeof useTool>>;
  handBackIdle(): Promise<void>;
  end(ending: SessionEnding): Promise<void>;
};

/** `signal` ends the work when no caller waits for it. */
export function sessionApi(
  client: CommandClient,
  runnerId: string,
  id: string,
  signal: AbortSignal,
): SessionApi {
  const params = { id };
  const stepOf = (stepNumber: number) => ({ id, number: String(stepNumber) });
  return {
    async opened(browserSessionId, model) {
      const body = { runnerId, browserSessionId, model };
      await client.insist(openedBrowser, { params, body, signal });
    },
    async begin(stepNumber) {
      const asked = { params: stepOf(stepNumber), body: { runnerId }, signal };
      return (await client.insist(beginStep, asked)).answer;
    },
    planStep: (asked, stepSignal) =>
      client.insist(planStep, {
        params,
        body: { runnerId, ...asked },
        signal: AbortSignal.any([signal, stepSignal]),
        timeoutMs: PLAN_MS_MAX,
      }),
    async complete(stepNumber, step) {
      const body = { runnerId, step };
      await client.insist(completeStep, { params: stepOf(stepNumber), body, signal });
    },
    async notePersonStep(memberId, stepId, step) {
      const body = { runnerId, memberId, stepId, step };
      await client.insist(notePersonStep, { params, body, signal });
    },
    ask: (stepNumber, wanted, stepSignal) =>
      client.insist(askApproval, {
        params: stepOf(stepNumber),
        body: { runnerId, call: wanted },
        signal: AbortSignal.any([signal, stepSignal]),
      }),
    useTool: (tool, stepSignal) =>
      client.call(useTool, {
        params,
        body: { runnerId, ...tool },
        signal: AbortSignal.any([signal, stepSignal]),
        timeoutMs: TOOL_MS_MAX,
      }),
    async handBackIdle() {
      await client.insist(handBackIdle, { params, body: { runnerId }, signal });
    },
    async end(ending) {
      await client.insist(endSession, { params, body: { runnerId, ...ending }, signal });
    },
  };
}

const TOOL_MS_MAX = 90_000;
const PLAN_MS_MAX = 65_000;
