import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import type {
  endSession,
  openedBrowser,
  useTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import {
  BrowserFault,
  CreditsUsedUp,
} from '@tallyhand/contracts/features/sessions/session-failures';
import { SessionEnded } from '@tallyhand/contracts/features/sessions/sessions.refusals';
import type { AnswerOf, BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { CommandContext } from '../../kit/context.ts';
import { meansOf } from './assignments.ts';
import { type ContextFor, DONE, type Done, heldSession } from './held-session.ts';
import { beginner, completer, personStepNoter } from './run-step.ts';
import type { SessionCommand } from './session.decider.ts';
import type { Sessions } from './sessions.ts';

const TOOL_MS_MAX = 60_000;

/** What a runner does with a session that it holds. Every call may be repeated. */
export function runsOf(sessions: Sessions) {
  const { open, streams } = sessions;

  async function send(context: CommandContext, sessionId: string, command: SessionCommand) {
    const answer = await streams.send(sessionId, command, context);
    return isRefusal(answer) ? answer : DONE;
  }

  return {
    async opened(sessionId: string, body: BodyOf<typeof openedBrowser>, contextFor: ContextFor) {
      const session = await heldSession(sessions, sessionId, body.runnerId);
      if (isRefusal(session)) return session;
      const { organizationId, agentId } = session;
      const { browserSessionId, model } = body;
      const agent = await sessions.findAgent(agentId, organizationId);
      // The first step finds out that it is gone, and ends the session.
      if (!agent) return DONE;
      const { all } = await meansOf(sessions, agent.tools, organizationId);
      const tools = all.map(({ tool, version }) => ({ toolId: tool.id, version }));
      await open.noteBrowser(browserSessionId, sessionId);
      const data = { browserSessionId, model, agentVersion: agent.version, tools };
      return send(contextFor(organizationId), sessionId, { type: 'StartSession', data });
    },

    begin: beginner(sessions),
    complete: completer(sessions),
    notePersonStep: personStepNoter(sessions),
    useTool: toolUser(sessions),

    async handBack(sessionId: string, runnerId: string, contextFor: ContextFor) {
      const session = await heldSession(sessions, sessionId, runnerId);
      if (isRefusal(session)) return session;
      const command = { type: 'HandBack', data: { by: null } } as const;
      return send(contextFor(session.organizationId), sessionId, command);
    },

    async end(
      sessionId: string,
      { runnerId, reason, error, code, params, outcome }: BodyOf<typeof endSession>,
      contextFor: ContextFor,
    ): Promise<Done | Refusal> {
      const session = await heldSession(sessions, sessionId, runnerId);
      if (isRefusal(session)) return session.code === SessionEnded.code ? DONE : session;
      const isFailed = reason === 'out-of-credits' || reason === 'error';
      const otherwise = reason === 'out-of-credits' ? CreditsUsedUp({}) : BrowserFault({});
      const why = error === null ? otherwise : { code, params, text: error };
      const ended = await sessions.end(
        contextFor(session.organizationId),
        sessionId,
        isFailed
          ? {
              type: 'FailSession',
              data: { reason, code: why.code, params: why.params, error: why.text, outcome },
            }
          : { type: 'CompleteSession', data: { reason, outcome } },
      );
      return isRefusal(ended) ? ended : DONE;
    },
  };
}

/** Calls one of the agent's tools: its credentials never leave this process. */
function toolUser(sessions: Sessions) {
  return async (
    sessionId: string,
    { runnerId, toolId, operation: name, args }: BodyOf<typeof useTool>,
    gone: AbortSignal,
  ): Promise<AnswerOf<typeof useTool> | Refusal> => {
    const session = await heldSession(sessions, sessionId, runnerId);
    if (isRefusal(session)) return session;
    const agent = await sessions.findAgent(session.agentId, session.organizationId);
    const assigned = agent?.tools.filter((id) => id === toolId) ?? [];
    const { tools } = await meansOf(sessions, assigned, session.organizationId);
    const tool = tools[0]?.tool;
    const operation = tool?.operations.find((one) => one.name === name);
    if (!tool || !operation) {
      return {
        success: false,
        output: 'The agent has no such tool, or it has no such operation.',
      };
    }
    const signal = AbortSignal.any([gone, AbortSignal.timeout(TOOL_MS_MAX)]);
    try {
      return await tool.call(operation, args, signal);
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      return { success: false, output: 'The tool took too long.' };
    }
  };
}
