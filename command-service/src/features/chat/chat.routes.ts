import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import {
  chatWithAgent,
  deleteConversation,
  renameConversation,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { AgentUnavailable } from '@tallyhand/contracts/features/chat/chat.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import { idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import { streamsOf } from '../../kit/streams.ts';
import { type ChatContext, replyIn, talksOf } from './chat.ts';
import { conversationDecider } from './conversation.decider.ts';

/** Chat is free, so it has a limit of its own. */
const LIMIT = { max: 30, timeWindow: '1 minute' };
const ANSWER_MS_MAX = 60_000;
const OWN = { allow: 'member', what: 'conversation' } as const;

export function chatRoutes(app: FastifyInstance, context: ChatContext) {
  const { kit, findAgent } = context;
  const conversations = streamsOf(conversationDecider, kit.streams);
  const { begin, answer } = talksOf(context);

  const talking = { allow: 'member', what: 'agent', limit: LIMIT } as const;
  route(app, kit, chatWithAgent, talking, async (call) => {
    const { caller, context, params, body, reply } = call;
    const { userId: by, organizationId } = caller;
    const agent = await findAgent(params.id, organizationId);
    if (!agent) return NotFound({ what: 'agent' });
    if (!agent.isActive) return AgentPausedNow({});
    const started = await begin(caller, context, params.id, body);
    if (isRefusal(started)) return started;
    const { conversationId } = started;
    const messageId = idFor(context, 'message');
    const text = await kit.vault.encrypt(by, organizationId, body.message);
    const command = { type: 'Send', data: { by, messageId, text } } as const;
    const sent = await conversations.send(conversationId, command, context);
    if (isRefusal(sent)) return sent;
    const conversation = sent.state ?? started;
    // A repeated message has its answer already.
    const known = conversation.said.find(
      (one) => 'inReplyTo' in one && one.inReplyTo === messageId,
    );
    if (known?.role === 'agent') return { ...(await replyIn(kit, by, known)), conversationId };

    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(ANSWER_MS_MAX)]);
    try {
      const asked = { messageId, message: body.message };
      return await answer(context, agent, conversation, asked, signal);
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      return AgentUnavailable({ reason: error.message });
    }
  });

  route(app, kit, renameConversation, OWN, async ({ caller, context, params, body }) => {
    const { userId: by, organizationId } = caller;
    const title = await kit.vault.encrypt(by, organizationId, body.title);
    const command = { type: 'Rename', data: { by, title } } as const;
    const answered = await conversations.send(params.id, command, context);
    return isRefusal(answered) ? answered : { id: params.id, title: body.title };
  });

  route(app, kit, deleteConversation, OWN, async ({ caller, context, params }) => {
    const command = { type: 'Delete', data: { by: caller.userId } } as const;
    const answered = await conversations.send(params.id, command, context);
    return isRefusal(answered) ? answered : undefined;
  });
}
