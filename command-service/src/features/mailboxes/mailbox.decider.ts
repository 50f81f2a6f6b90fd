import {
  MailboxChanged,
  MailboxConnected,
  MailboxDisconnected,
  type MailboxEvent,
  MailboxFailed,
  MailboxPaused,
  MailboxRecovered,
  MailboxResumed,
  MailReceived,
  mailboxEvents,
  ReplyDelayed,
  ReplyIntended,
  ReplyRejected,
  ReplyResendRequested,
  ReplySent,
  ReplyUncertain,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import {
  MailboxNotPaused,
  RepliesWaitForSmtp,
  ReplyNotOpen,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

type Connection = Parameters<typeof MailboxConnected>[0];
type Settings = Omit<Parameters<typeof MailboxChanged>[0], 'mailboxId' | 'organizationId'>;
type Received = Omit<Parameters<typeof MailReceived>[0], 'mailboxId' | 'organizationId'>;
type OfMail = { readonly mailId: string };
type Attempt = OfMail & { readonly attempt: number };
type By = { readonly by: string };

export type MailboxCommand =
  | EventValue<'Connect', Connection>
  | EventValue<'Change', Settings>
  | EventValue<'ReceiveMail', Received>
  | EventValue<'IntendReply', OfMail>
  | EventValue<'NoteReply', Attempt & { readonly outcome: ReplyOutcome }>
  | EventValue<'RequestReplyAgain', OfMail & By>
  | EventValue<'Fail', { readonly code: string; readonly isStopped: boolean }>
  | EventValue<'Recover', Record<never, never>>
  | EventValue<'Pause', Omit<Parameters<typeof MailboxPaused>[0], 'mailboxId' | 'organizationId'>>
  | EventValue<'Resume', By>
  | EventValue<'Disconnect', { readonly by: string | null }>;

export type ReplyOutcome = 'sent' | 'delayed' | 'failed' | 'uncertain';

/** The reply to a mail. `open`: an attempt may begin. */
type Reply = { readonly state: 'open' | 'intended' | ReplyOutcome; readonly attempt: number };

export type MailboxState = {
  readonly connection: Connection | null;
  /** ISO 8601. */
  readonly connectedAt: string;
  readonly pause: 'by-person' | 'too-much-mail' | 'too-many-replies' | null;
  readonly failure: { readonly code: string; readonly isStopped: boolean } | null;
  readonly isDisconnected: boolean;
  /** Of the newest mails. Older ones are in the list of mails only. */
  readonly replies: Map<string, Reply>;
};

const MAILS_KEPT_MAX = 5_000;

type MailboxRefusal = RefusalOf<
  typeof NotFound | typeof MailboxNotPaused | typeof RepliesWaitForSmtp | typeof ReplyNotOpen
>;

export const mailboxDecider: Decider<MailboxState, MailboxCommand, MailboxEvent, MailboxRefusal> = {
  initialState: () => ({
    connection: null,
    connectedAt: '',
    pause: null,
    failure: null,
    isDisconnected: false,
    replies: new Map(),
  }),
  decide(command, state) {
    if (command.type === 'Connect') {
      return state.connection ? [] : [MailboxConnected(command.data)];
    }
    if (!state.connection || state.isDisconnected) {
      return command.type === 'Disconnect' ? [] : NotFound({ what: 'mailbox' });
    }
    return decideConnected(command, state, state.connection);
  },
  evolve,
};

function decideConnected(
  command: Exclude<MailboxCommand, { type: 'Connect' }>,
  state: MailboxState,
  { mailboxId, organizationId, canReply }: Connection,
) {
  const own = { mailboxId, organizationId };
  switch (command.type) {
    case 'Change':
      return [MailboxChanged({ ...own, ...command.data })];
    case 'ReceiveMail':
      // A repeat, as after a crash.
      if (state.replies.has(command.data.mailId)) return [];
      return [MailReceived({ ...own, ...command.data })];
    case 'IntendReply':
      return intend(own, command.data.mailId, state);
    case 'NoteReply':
      return note(own, command.data, state);
    case 'RequestReplyAgain': {
      const { mailId, by } = command.data;
      const reply = state.replies.get(mailId);
      if (reply?.state !== 'failed' && reply?.state !== 'uncertain') return ReplyNotOpen({});
      if (!canReply) return RepliesWaitForSmtp({});
      return [ReplyResendRequested({ ...own, mailId, requestedBy: by })];
    }
    case 'Fail': {
      const isKnown = state.failure && (state.failure.isStopped || !command.data.isStopped);
      return isKnown ? [] : [MailboxFailed({ ...own, ...command.data })];
    }
    case 'Recover':
      return state.failure ? [MailboxRecovered(own)] : [];
    case 'Pause':
      return state.pause ? [] : [MailboxPaused({ ...own, ...command.data })];
    case 'Resume':
      if (!state.pause && !state.failure) return MailboxNotPaused({});
      return [MailboxResumed({ ...own, resumedBy: command.data.by })];
    case 'Disconnect':
      return [MailboxDisconnected({ ...own, disconnectedBy: command.data.by })];
  }
}

type Own = { readonly mailboxId: string; readonly organizationId: string };

/** At most one attempt runs: none if the reply was sent, or may have been. */
function intend(own: Own, mailId: string, { replies }: MailboxState) {
  const reply = replies.get(mailId);
  const mayBegin = reply?.state === 'open' || reply?.state === 'delayed';
  return mayBegin ? [ReplyIntended({ ...own, mailId, attempt: reply.attempt + 1 })] : [];
}

const OUTCOMES = {
  sent: ReplySent,
  delayed: ReplyDelayed,
  failed: ReplyRejected,
  uncertain: ReplyUncertain,
};

function note(
  own: Own,
  { mailId, attempt, outcome }: Attempt & { readonly outcome: ReplyOutcome },
  { replies }: MailboxState,
) {
  const reply = replies.get(mailId);
  if (reply?.state !== 'intended' || reply.attempt !== attempt) return [];
  return [OUTCOMES[outcome]({ ...own, mailId, attempt })];
}

function evolve(state: MailboxState, event: MailboxEvent, at: string): MailboxState {
  switch (event.type) {
    case 'MailboxConnected':
      return { ...state, connection: event.data, connectedAt: at };
    case 'MailboxChanged': {
      const connection = state.connection && { ...state.connection, ...event.data };
      return { ...state, connection, failure: null };
    }
    case 'MailReceived':
      return withReply(state, event.data.mailId, { state: 'open', attempt: 0 });
    case 'ReplyIntended':
      return withReply(state, event.data.mailId, {
        state: 'intended',
        attempt: event.data.attempt,
      });
    case 'ReplySent':
      return ended(state, event.data, 'sent');
    case 'ReplyDelayed':
      return ended(state, event.data, 'delayed');
    case 'ReplyRejected':
      return ended(state, event.data, 'failed');
    case 'ReplyUncertain':
      return ended(state, event.data, 'uncertain');
    case 'ReplyResendRequested': {
      const attempt = state.replies.get(event.data.mailId)?.attempt ?? 0;
      return withReply(state, event.data.mailId, { state: 'open', attempt });
    }
    case 'MailboxFailed':
      return { ...state, failure: event.data };
    case 'MailboxRecovered':
      return { ...state, failure: null };
    case 'MailboxPaused':
      return { ...state, pause: event.data.reason };
    case 'MailboxResumed':
      return { ...state, pause: null, failure: null };
    case 'MailboxDisconnected':
      return { ...state, isDisconnected: true };
  }
}

const ended = (state: MailboxState, { mailId, attempt }: Attempt, outcome: ReplyOutcome) =>
  withReply(state, mailId, { state: outcome, attempt });

function withReply(state: MailboxState, mailId: string, reply: Reply): MailboxState {
  const { replies } = state;
  replies.set(mailId, reply);
  if (replies.size > MAILS_KEPT_MAX) replies.delete(replies.keys().next().value ?? '');
  return state;
}

export const mailboxStream: StreamPolicy<
  MailboxState,
  MailboxCommand,
  MailboxEvent,
  MailboxRefusal
> = {
  category: 'mailbox',
  decider: mailboxDecider,
  events: mailboxEvents,
  cachedMax: 500,
  snapshot: {
    version: 1,
    everyEvents: 1_000,
    save: ({ replies, ...state }) => ({ ...state, replies: [...replies] }),
    load(saved) {
      const { replies, ...state } = saved as Omit<MailboxState, 'replies'> & {
        replies: [string, Reply][];
      };
      return { ...state, replies: new Map(replies) };
    },
  },
};
