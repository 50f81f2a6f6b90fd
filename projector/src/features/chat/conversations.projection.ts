import type { Attachment } from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import {
  conversationEvents,
  REPLY_MS_MAX,
  type ReplyApprovalDecided,
  type ReplyApprovalRequested,
  type ReplyGiven,
} from '@tallyhand/contracts/features/chat/chat.events';
import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import type { EventOf, EventsOf } from '@tallyhand/contracts/kernel/messages';
import { conversationsModel } from '@tallyhand/read-models/features/chat/chat.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import { sql } from 'kysely';
import { NOT_WAITING, withAsked, withDecision } from '../../kernel/approvals.ts';
import { batchProjection, type Happened, type Helpers, type Tx } from '../../kernel/projection.ts';
import { addRows, newRow, readRows, writeRows } from '../../kernel/rows.ts';

const kinds = { ...conversationEvents, PersonErased };
type ConversationEvent = EventsOf<typeof conversationEvents>;
type Erased = EventOf<typeof PersonErased>;
type ReplyData = EventOf<typeof ReplyGiven>['data'];

export const conversationsProjection = batchProjection({
  model: conversationsModel,
  kinds,
  async apply(tx, all, helpers) {
    const happened = all.filter(isOfConversation);
    const batch = await openBatch(tx, happened);
    // In parallel: sequentially, each would cost a turn of the event loop.
    const revealed = await Promise.all(
      happened.map(async ({ event }) => ({
        text: await revealedOf(event, helpers),
        attachments: await attachmentsOf(event, helpers),
      })),
    );
    for (const [at, one] of happened.entries()) fold(batch, one, revealed[at] ?? NOTHING);
    await keep(tx, batch);
    for (const { event } of all) if (event.type === 'PersonErased') await erase(tx, event.data);
    return new Set(all.map(({ event }) => event.data.organizationId));
  },
});

const isOfConversation = (
  one: Happened<ConversationEvent | Erased>,
): one is Happened<ConversationEvent> => one.event.type !== 'PersonErased';

/** Writes what a rebuild without the key would write. */
async function erase(tx: Tx, { userId }: Erased['data']) {
  const theirs = tx
    .updateTable('conversations')
    .set({ title: ERASED, ...DECIDED, approvals: sql`'[]'`, tool_calls: sql`'[]'` })
    .where('started_by', '=', userId);
  const rows = await theirs.returning('conversation_id').execute();
  const ids = rows.map(({ conversation_id }) => conversation_id);
  await tx
    .updateTable('conversation_messages')
    .set({
      content: ERASED,
      sources: sql`'[]'`,
      tool_calls: sql`'[]'`,
      attachments: sql`'[]'`,
      approvals: sql`'[]'`,
    })
    .where('conversation_id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
}

/** The rows that a batch changes. */
type Batch = {
  readonly conversations: Map<string, Row<'conversations'>>;
  readonly added: Map<string, Row<'conversation_messages'>>;
  /** Reply ids by the message that they answer. */
  readonly replies: Map<string, string>;
  /** Existing messages to delete. */
  readonly removed: string[];
};

async function openBatch(tx: Tx, happened: readonly Happened<ConversationEvent>[]): Promise<Batch> {
  const ids = [...new Set(happened.map(({ event }) => event.data.conversationId))];
  const answered = happened.flatMap(({ event }) =>
    event.type === 'ReplyGiven' || event.type === 'ReplyStopped' ? event.data.inReplyTo : [],
  );
  const [conversations, replies] = await Promise.all([
    readRows(tx, 'conversations', ids),
    tx
      .selectFrom('conversation_messages')
      .select(['message_id', 'in_reply_to'])
      .where('conversation_id', '=', sql<string>`any(${ids}::uuid[])`)
      .where('in_reply_to', '=', sql<string>`any(${answered}::uuid[])`)
      .execute(),
  ]);
  return {
    conversations,
    added: new Map(),
    replies: new Map(replies.map(({ in_reply_to, message_id }) => [in_reply_to ?? '', message_id])),
    removed: [],
  };
}

/** The text of an event that its writer's key encrypts; '' if there is none. */
async function revealedOf(event: ConversationEvent, { reveal }: Helpers): Promise<string> {
  switch (event.type) {
    case 'ConversationStarted':
    case 'ConversationRenamed':
      return reveal(event.data.startedBy, event.data.title);
    case 'MessageSent':
      return reveal(event.data.startedBy, event.data.text);
    case 'ReplyGiven':
    case 'ReplyStopped':
      return reveal(event.data.startedBy, event.data.reply);
    case 'ReplyApprovalRequested':
      return reveal(event.data.startedBy, event.data.arguments);
    case 'ReplyToolCalled':
      return reveal(event.data.startedBy, event.data.call);
    case 'ReplyApprovalDecided': {
      const { startedBy, answer } = event.data;
      return answer === undefined ? '' : reveal(startedBy, answer);
    }
    case 'ReplyRequestedAgain':
    case 'ReplyFailed':
    case 'ConversationDeleted':
      return '';
  }
}

/** The files of a message; none if they can't be named any more. */
async function attachmentsOf(event: ConversationEvent, { reveal }: Helpers): Promise<Attachment[]> {
  if (event.type !== 'MessageSent') return [];
  const { startedBy, attachments = [], attachmentNames } = event.data;
  if (!attachmentNames) return [];
  const text = await reveal(startedBy, attachmentNames);
  if (!text.startsWith('[')) return [];
  const names = JSON.parse(text) as readonly string[];
  return attachments.map(({ attachmentId: id, kind, bytes }, at) => ({
    id,
    name: names[at] ?? '',
    kind,
    bytes,
  }));
}

type Revealed = { readonly text: string; readonly attachments: readonly Attachment[] };
const NOTHING: Revealed = { text: '', attachments: [] };

function fold(
  batch: Batch,
  { stored, event }: Happened<ConversationEvent>,
  { text, attachments }: Revealed,
) {
  const at = stored.envelope.recordedAt;
  const { conversationId } = event.data;
  const row = batch.conversations.get(conversationId);
  const change = (columns: Partial<Row<'conversations'>>) => {
    const now = batch.conversations.get(conversationId);
    if (now) batch.conversations.set(conversationId, { ...now, ...columns });
  };
  switch (event.type) {
    case 'ConversationStarted':
      batch.conversations.set(
        conversationId,
        newRow('conversations', event.data, at, {
          title: text,
          message_count: 0,
          updated_at: at,
          approvals: [],
          tool_calls: [],
        }),
      );
      return;
    case 'MessageSent': {
      const message = {
        role: 'user',
        content: text,
        sources: [],
        tool_calls: [],
        in_reply_to: null,
      };
      const sent = { ...message, attachments, is_stopped: false, usage: [], approvals: [] };
      add(batch, stored, event.data, sent);
      return change({ reply_due_at: dueAfter(at), ...NOTHING_ASKED, tool_calls: [] });
    }
    case 'ReplyRequestedAgain':
      return change({ reply_due_at: dueAfter(at), ...NOTHING_ASKED });
    case 'ReplyGiven':
    case 'ReplyStopped':
      addReply(batch, stored, event.data, text, event.type === 'ReplyStopped');
      return change({ reply_due_at: null, ...NOTHING_ASKED, tool_calls: [] });
    case 'ReplyFailed':
      return change({ reply_due_at: null, ...DECIDED });
    case 'ReplyApprovalRequested':
      if (row) change({ reply_due_at: event.data.deadline, ...asked(row, event.data, text, at) });
      return;
    case 'ReplyApprovalDecided':
      if (row) change({ reply_due_at: event.data.deadline, ...decided(row, event.data, text, at) });
      return;
    case 'ReplyToolCalled':
      if (row && text.startsWith('{'))
        change({ tool_calls: [...row.tool_calls, JSON.parse(text)] });
      return;
    case 'ConversationRenamed':
      return change({ title: text });
    case 'ConversationDeleted':
      return change({ deleted_at: at, ...NOTHING_ASKED });
  }
}

const DECIDED = { ...NOT_WAITING, approval_for: null } as const;
const NOTHING_ASKED = { ...DECIDED, approvals: [] } as const;

/** The call that waits; nothing of an erased member's. */
function asked(
  { approvals }: Pick<Row<'conversations'>, 'approvals'>,
  data: EventOf<typeof ReplyApprovalRequested>['data'],
  text: string,
  at: string,
): Partial<Row<'conversations'>> {
  if (!text.startsWith('{')) return NOTHING_ASKED;
  const waiting = withAsked(approvals, { ...data, arguments: text }, at);
  return { ...waiting, approval_for: data.inReplyTo };
}

function decided(
  { approvals }: Pick<Row<'conversations'>, 'approvals'>,
  data: EventOf<typeof ReplyApprovalDecided>['data'],
  text: string,
  at: string,
): Partial<Row<'conversations'>> {
  const answer = text.startsWith('{') ? (JSON.parse(text) as Answered) : {};
  return { ...withDecision(approvals, { ...data, ...answer }, at), approval_for: null };
}

type Answered = { readonly arguments?: string; readonly note?: string };

const dueAfter = (at: string) => new Date(Date.parse(at) + REPLY_MS_MAX).toISOString();

type Stored = Happened<ConversationEvent>['stored'];

/** Replaces an earlier reply to the same message. */
function addReply(batch: Batch, stored: Stored, data: ReplyData, text: string, isStopped: boolean) {
  const { inReplyTo, messageId, conversationId } = data;
  // Replies to an erased person are erased too.
  const { response, sources, toolCalls } = {
    sources: [],
    toolCalls: [],
    ...(text.startsWith('{') ? JSON.parse(text) : { response: text }),
  };
  const earlier = batch.replies.get(inReplyTo);
  if (earlier !== undefined) {
    if (!batch.added.delete(earlier)) batch.removed.push(earlier);
    const row = batch.conversations.get(conversationId);
    if (row) row.message_count -= 1;
  }
  batch.replies.set(inReplyTo, messageId);
  const written = { role: 'agent', content: response, sources, tool_calls: toolCalls };
  const { usage = [] } = data;
  const { approvals = [] } = batch.conversations.get(conversationId) ?? {};
  const reply = { in_reply_to: inReplyTo, is_stopped: isStopped, approvals };
  add(batch, stored, data, { ...written, ...reply, usage, attachments: [] });
}

type Ids = Record<'messageId' | 'conversationId' | 'organizationId', string>;
type Message = Pick<
  Row<'conversation_messages'>,
  | 'role'
  | 'content'
  | 'sources'
  | 'tool_calls'
  | 'in_reply_to'
  | 'is_stopped'
  | 'usage'
  | 'attachments'
  | 'approvals'
>;

function add(
  { added, conversations }: Batch,
  { revision, envelope }: Stored,
  data: Ids,
  message: Message,
) {
  const at = envelope.recordedAt;
  const given = { ...message, ordinal: Number(revision) };
  added.set(data.messageId, newRow('conversation_messages', data, at, given));
  const row = conversations.get(data.conversationId);
  if (!row) return;
  conversations.set(row.conversation_id, {
    ...row,
    message_count: row.message_count + 1,
    updated_at: at,
  });
}

async function keep(tx: Tx, { conversations, added, removed }: Batch) {
  await Promise.all([
    writeRows(tx, 'conversations', [...conversations.values()]),
    removed.length > 0 &&
      tx
        .deleteFrom('conversation_messages')
        .where('message_id', '=', sql<string>`any(${removed}::uuid[])`)
        .execute(),
    addRows(tx, 'conversation_messages', [...added.values()]),
  ]);
}
