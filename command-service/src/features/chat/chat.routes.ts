import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import {
  chatWithAgent,
  decideReplyApproval,
  deleteConversation,
  regenerateReply,
  renameConversation,
  stopReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  ChatLimitReached,
  ReplyNotWritten,
} from '@tallyhand/contracts/features/chat/chat.refusals';
import { setChatBudget } from '@tallyhand/contracts/features/chat/chat-budget.endpoints';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Caller, Kit } from '../../kit/app.ts';
import { closeSignal, newestKnown } from '../../kit/caller.ts';
import { idFor } from '../../kit/context.ts';
import { noImages } from '../../kit/no-images.ts';
import { type MemberCall, route } from '../../kit/route.ts';
import { begin, type ChatContext, findOwn, replyIn, type TalkingAgent } from './chat.ts';
import { overBudget } from './chat-budget.ts';
import { conversationStream, replyTo } from './conversation.decider.ts';
import { Replies } from './replies.ts';
import { decideOn } from './reply-approvals.ts';

/** For each IP address, which many members may share. Members have a limit, too. */
const LIMIT = { max: 300, timeWindow: '1 minute' };
const OWN = { what: 'conversation' } as const;

export function chatRoutes(app: FastifyInstance, chat: ChatContext) {
  const { kit } = chat;
  const conversations = kit.streams.of(conversationStream);
  const replies = new Replies(chat);
  app.addHook('onClose', () => replies.close());

  const waiting = { limit: LIMIT, queue: kit.queues.chat };
  const talking = { what: 'agent', ...waiting } as const;
  route(app, kit, chatWithAgent, talking, async (call) => {
    const { caller, context, params, body } = call;
    const { userId: by, organizationId } = caller;
    const agent = await readyAgent(chat, params.id, caller);
    if (isRefusal(agent)) return agent;
    const messageId = idFor(context, 'message');
    const sending = { userId: by, organizationId, sentWith: messageId };
    const refused = await attachmentsRefused(chat, sending, agent, body.attachments ?? []);
    if (refused) return refused;
    const started = await begin(kit, caller, context, params.id, body);
    if (isRefusal(started)) return started;
    const { conversationId } = started;
    const attached = await attach(chat, { ...sending, conversationId }, body.attachments ?? []);
    if (isRefusal(attached)) return attached;
    const text = await kit.vault.encrypt(by, organizationId, body.message);
    const request = { by, requestId: idFor(context, 'request'), now: context.now };
    const command = { type: 'Send', data: { ...request, messageId, text, ...attached } } as const;
    const sent = await conversations.send(conversationId, command, context);
    if (isRefusal(sent)) {
      const now = await conversations.load(conversationId);
      const isKept = now?.said.some((one) => one.messageId === messageId);
      if (!isKept) await chat.attachments.unsend(sending);
      return sent;
    }
    const conversation = sent.state ?? started;
    // A repeated message has its reply already.
    const known = replyTo(conversation, messageId);
    if (known) return replyIn(kit, conversation, known);
    const { pending } = conversation;
    if (pending?.inReplyTo !== messageId) return ReplyNotWritten({});
    return replies.write(askingFor(kit, call), agent, conversation, pending);
  });

  route(app, kit, regenerateReply, { ...OWN, ...waiting }, async (call) => {
    const { caller, context, params } = call;
    const found = await findOwn(kit, caller, params.id);
    if (isRefusal(found)) return found;
    const agent = await readyAgent(chat, found.agentId, caller);
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
    return replies.write(askingFor(kit, call), agent, conversation, pending);
  });

  route(app, kit, setChatBudget, async ({ caller, context, body }) => {
    const { organizationId } = caller;
    const set = await chat.organizations.setChatTokenBudget(context, { organizationId, ...body });
    return set ?? body;
  });

  route(app, kit, decideReplyApproval, OWN, async ({ caller, context, params, body }) => {
    const conversation = await conversations.load(params.id);
    const { organizationId, userId: decidedBy } = caller;
    if (conversation?.organizationId !== organizationId || conversation.isDeleted) {
      return NotFound(OWN);
    }
    const refused = await decideOn(kit, conversation, body, { decidedBy, context });
    const { approvalId, decision } = body;
    return refused ?? { conversationId: params.id, approvalId, decision };
  });

  route(app, kit, stopReply, OWN, async ({ caller, context, params }) => {
    const found = await findOwn(kit, caller, params.id);
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
    await chat.attachments.forgetConversation(caller.organizationId, params.id);
    return undefined;
  });
}

/** A reply that a call waits for. */
const askingFor = (
  kit: Kit,
  {
    context,
    events,
    reply,
    request,
  }: Pick<MemberCall<unknown, unknown>, 'context' | 'events' | 'reply' | 'request'>,
) => ({
  context,
  events,
  gone: closeSignal(reply),
  isWorker: false,
  // The caller's own recent changes.
  seen: newestKnown(kit, request),
});

/** Why the files can't be sent to the agent; checked before anything is stored. */
async function attachmentsRefused(
  { attachments, engineOf }: ChatContext,
  sending: Parameters<ChatContext['attachments']['find']>[0],
  agent: TalkingAgent,
  ids: readonly string[],
): Promise<Refusal | null> {
  const found = await attachments.find(sending, ids);
  if (isRefusal(found)) return found;
  if (!found.some(({ kind }) => kind === 'image')) return null;
  const { seesImages, model } = await engineOf(sending.organizationId, agent.model);
  return seesImages ? null : noImages(model);
}

/** The files of a message as its event holds them. */
async function attach(
  { kit, attachments }: ChatContext,
  sending: Parameters<ChatContext['attachments']['send']>[0],
  ids: readonly string[],
) {
  const sent = await attachments.send(sending, ids);
  if (isRefusal(sent)) return sent;
  if (sent.length === 0) return {};
  const names = JSON.stringify(sent.map(({ name }) => name));
  const { userId, organizationId } = sending;
  return {
    attachments: sent.map(({ name: _, ...facts }) => facts),
    attachmentNames: await kit.vault.encrypt(userId, organizationId, names),
  };
}

/** The agent, if it is active and neither limit is reached. Counts the message. */
async function readyAgent(
  { kit, findAgent }: ChatContext,
  id: string,
  caller: Caller,
): Promise<TalkingAgent | Refusal> {
  const agent = await findAgent(id, caller.organizationId);
  if (!agent) return NotFound({ what: 'agent' });
  if (!agent.isActive) return AgentPausedNow({});
  const refused =
    (await overBudget(kit, caller.organizationId)) ?? (await countMessage(kit, caller));
  return refused ?? agent;
}

/** For each member: chat costs no credits. */
const MINUTE_MAX = 30;
const DAY_MAX = 500;

const COUNT = `
  insert into operational.chat_limits as kept (user_id, organization_id, sent_at)
  values ($1, $2, array[now()])
  on conflict (user_id) do update
  set updated_at = now(), sent_at = array(
    select t from unnest(kept.sent_at || now()) t where t > now() - interval '1 day' order by t)
  where $3 > (select count(*) from unnest(kept.sent_at) t where t > now() - interval '1 minute')
    and $4 > (select count(*) from unnest(kept.sent_at) t where t > now() - interval '1 day')`;

/** When the member's nth last message leaves its minute or day. */
const FREE_AGAIN = `
  select per, at from (
    select 'minute' as per, (
      select t from unnest(sent_at) t order by t desc offset $2 limit 1) + interval '1 minute' as at
    from operational.chat_limits where user_id = $1
    union all
    select 'day', (
      select t from unnest(sent_at) t order by t desc offset $3 limit 1) + interval '1 day'
    from operational.chat_limits where user_id = $1) limits
  where at > now() order by at desc limit 1`;

/** Counts a message of a member across all processes, or refuses it; refused ones do not count. */
async function countMessage(
  { pool, settings }: Kit,
  { userId, organizationId }: Caller,
): Promise<Refusal | null> {
  const minuteMax = Math.ceil(MINUTE_MAX * settings.rateLimitScale);
  const dayMax = Math.ceil(DAY_MAX * settings.rateLimitScale);
  // The row is locked while it changes, so parallel messages gain nothing.
  const counted = await pool.query(COUNT, [userId, organizationId, minuteMax, dayMax]);
  if (counted.rowCount === 1) return null;
  const { rows } = await pool.query<{ per: 'minute' | 'day'; at: Date }>(FREE_AGAIN, [
    userId,
    minuteMax - 1,
    dayMax - 1,
  ]);
  const { per, at } = rows[0] ?? { per: 'minute', at: new Date() };
  return ChatLimitReached({
    messagesMax: per === 'minute' ? minuteMax : dayMax,
    per,
    retryAfterSeconds: Math.max(1, Math.ceil((at.getTime() - Date.now()) / 1_000)),
    retryAt: at.toISOString(),
  });
}
