import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import {
  chatWithAgent,
  deleteConversation,
  regenerateReply,
  renameConversation,
  stopReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { ReplyNotWritten } from '@tallyhand/contracts/features/chat/chat.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import { type ChatContext, replyIn, type TalkingAgent, talksOf } from './chat.ts';
import { chatLimitsOf } from './chat-limits.ts';
import { conversationStream, replyTo } from './conversation.decider.ts';
import { repliesOf } from './replies.ts';

/** From one address; members have a limit of their own, and many may share an address. */
const LIMIT = { max: 300, timeWindow: '1 minute' };
const OWN = { what: 'conversation' } as const;

export function chatRoutes(app: FastifyInstance, context: ChatContext) {
  const { kit } = context;
  const conversations = kit.streams.of(conversationStream);
  const { begin, findOwn } = talksOf(context);
  const replies = repliesOf(context);
  app.addHook('onClose', replies.close);
  const readyAgent = readyAgents(context);

  const waiting = { limit: LIMIT, queue: kit.queues.chat };
  const talking = { what: 'agent', ...waiting } as const;
  route(app, kit, chatWithAgent, talking, async (call) => {
    const { caller, context, params, body } = call;
    const { userId: by, organizationId } = caller;
    const agent = await readyAgent(params.id, caller);
    if (isRefusal(agent)) return agent;
    const started = await begin(caller, context, params.id, body);
    if (isRefusal(started)) return started;
    const messageId = idFor(context, 'message');
    const text = await kit.vault.encrypt(by, organizationId, body.message);
    const request = { by, requestId: idFor(context, 'request'), now: context.now };
    const command = { type: 'Send', data: { ...request, messageId, text } } as const;
    const sent = await conversations.send(started.conversationId, command, context);
    if (isRefusal(sent)) return sent;
    const conversation = sent.state ?? started;
    // A repeated message has its reply already.
    const known = replyTo(conversation, messageId);
    if (known) return replyIn(kit, conversation, known);
    const { pending } = conversation;
    if (pending?.inReplyTo !== messageId) return ReplyNotWritten({});
    return replies.write(call, agent, conversation, pending);
  });

  route(app, kit, regenerateReply, { ...OWN, ...waiting }, async (call) => {
    const { caller, context, params } = call;
    const found = await findOwn(caller, params.id);
    if (isRefusal(found)) return found;
    const agent = await readyAgent(found.agentId, caller);
    if (isRefusal(agent)) return agent;
    const replyId = idFor(context, 'reply');
    const request = { requestId: idFor(context, 'request'), now: context.now };
    const command = {
      type: 'Regenerate',
      data: { by: caller.userId, ...request, replyId },
    } as const;
    const sent = await conversations.send(params.id, command, context);
    if (isRefusal(sent)) return sent;
    const conversation = sent.state ?? found;
    const known = conversation.said.find((one) => one.messageId === replyId);
    if (known?.role === 'agent') return replyIn(kit, conversation, known);
    const { pending } = conversation;
    if (!pending) return ReplyNotWritten({});
    return replies.write(call, agent, conversation, pending);
  });

  route(app, kit, stopReply, OWN, async ({ caller, context, params }) => {
    const found = await findOwn(caller, params.id);
    if (isRefusal(found)) return found;
    return (await replies.stop(context, found)) ?? undefined;
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
    if (isRefusal(answered)) return answered;
    await replies.interrupt(params.id);
    return undefined;
  });
}

/** The agent that is talked to, when it talks and the member has not said too much already. */
function readyAgents({ kit, findAgent }: ChatContext) {
  const count = chatLimitsOf(kit);
  return async (id: string, caller: Caller): Promise<TalkingAgent | Refusal> => {
    const agent = await findAgent(id, caller.organizationId);
    if (!agent) return NotFound({ what: 'agent' });
    if (!agent.isActive) return AgentPausedNow({});
    return (await count(caller)) ?? agent;
  };
}
