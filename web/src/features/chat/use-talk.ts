import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { Attachment } from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import {
  ChatReply,
  chatWithAgent,
  ReplyBegun,
  ReplyPiece,
  ReplyWaits,
  regenerateReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import type { Approval, ToolCall } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import { createParser } from 'eventsource-parser';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { api } from '../../app/api.ts';
import { type Call, call, lostAnswers } from '../../app/base-query.ts';
import { endedSignIn } from '../../app/ended-sign-in.ts';
import { type CallProblem, describeProblem, networkProblem, problemOf } from '../../app/problem.ts';
import { withReason } from '../../app/sentence.ts';
import { inTrace } from '../../app/trace.ts';
import { showFailure } from '../../ui/toast.ts';
import { useGetConversationQuery, useStopReplyMutation } from './chat.api.ts';
import { type Exchange, messagesShown, type Shown } from './exchange.ts';

/** How often a reply that is written in another tab is polled, in case no change is announced. */
const POLL_MS = 3_000;
/** Text that comes faster is shown together. */
const SHOW_MS = 50;

export type Talk = {
  /** Empty before the first message. */
  readonly conversationId: string;
  readonly messages: readonly Shown[];
  /** A reply is being written, here or elsewhere. */
  readonly isWaiting: boolean;
  /** The call that the reply waits for. */
  readonly approval: Approval | undefined;
  /** Of a reply that is being written or failed, those that no longer wait. */
  readonly decided: readonly Approval[];
  /** The calls of tools for that reply so far. */
  readonly calls: readonly ToolCall[];
  /** The last message has no reply, and none is being written. */
  readonly isUnanswered: boolean;
  /** The last reply that arrived while this was open; for screen readers. */
  readonly heard: string;
  /** True when the message was taken. */
  send(message: string, attachments: readonly Attachment[]): Promise<boolean>;
  stop(): void;
  /** Answers the last message again. */
  regenerate(): void;
};

/**
 * A conversation with an agent; `opened` is empty for a new one. The server names that one, which is
 * the id for all that follows: `opened` follows `onStarted` only a moment later.
 */
export function useTalk(
  agent: Agent,
  opened: string,
  onStarted: (conversationId: string) => void,
): Talk {
  const [pollingInterval, poll] = useState(0);
  const { exchange: last, run, abort } = useExchange(onStarted);
  const [stopReply] = useStopReplyMutation();
  const isHere = opened === '' || last?.conversationId === opened;
  const exchange = isHere ? last : undefined;
  const conversationId = exchange?.conversationId ?? opened;
  const { currentData: known } = useGetConversationQuery(conversationId, {
    skip: conversationId === '',
    pollingInterval,
  });
  const isWriting = exchange !== undefined && !exchange.isOver;
  const kept = known?.messages ?? [];
  const isOld = exchange?.reply && !kept.some(({ id }) => id === exchange.reply?.messageId);
  const isElsewhere = !isWriting && !isOld && known?.replyPending === true;
  useEffect(() => poll(isElsewhere ? POLL_MS : 0), [isElsewhere]);

  const wasElsewhere = useRef(false);
  if (isElsewhere) wasElsewhere.current = true;
  const newest = kept.at(-1);
  // A reply that was continued after an approval came without an exchange.
  const continued =
    wasElsewhere.current && !isElsewhere && newest?.role === 'agent' ? newest.content : '';
  const asked = known?.approvals ?? [];
  const waiting = known?.replyPending ? asked.find(({ decision }) => decision === null) : undefined;
  const messages = messagesShown(kept, exchange);
  const isWaiting = isWriting || isElsewhere;
  const at = () => new Date().toISOString();
  return {
    conversationId,
    messages,
    isWaiting,
    approval: isElsewhere ? waiting : undefined,
    decided: isWriting ? [] : asked.filter((one) => one !== waiting),
    calls: isWriting ? [] : (known?.toolCalls ?? []),
    isUnanswered: !isWaiting && messages.at(-1)?.role === 'user',
    heard: exchange?.reply?.response ?? continued,
    send(message, attachments) {
      const begun = conversationId === '' ? {} : { conversationId };
      const ids = attachments.map(({ id }) => id);
      const files = ids.length > 0 ? { attachments: ids } : {};
      const asked = call(chatWithAgent, { id: agent.id, message, ...begun, ...files });
      const said = { said: message, attachments, at: at() };
      return run(asked, { conversationId, ...said, written: '', isOver: false });
    },
    stop() {
      if (conversationId === '') abort();
      else void stopReply(conversationId).then(({ error }) => error && abort());
    },
    regenerate() {
      const messageId = messages.findLast(({ role }) => role === 'user')?.id;
      if (messageId === undefined) return;
      const asked = call(regenerateReply, conversationId);
      void run(asked, { conversationId, messageId, at: at(), written: '', isOver: false });
    },
  };
}

/** One exchange at a time; closing what shows it stops the agent. */
function useExchange(onStarted: (conversationId: string) => void) {
  const [exchange, setExchange] = useState<Exchange>();
  const running = useRef<AbortController>(undefined);
  const dispatch = useDispatch();
  const announceFailure = useFailure();
  useEffect(() => () => running.current?.abort(), []);

  async function run(asked: Call, begun: Exchange): Promise<boolean> {
    const own = new AbortController();
    running.current = own;
    let now = begun;
    const show = (change: Partial<Exchange>) => {
      now = { ...now, ...change };
      setExchange(now);
    };
    show({});
    let isTaken = false;
    const text = batchedText((written) => show({ written }));
    const listener = {
      onText: text.add,
      onStarted(started: { conversationId: string; messageId: string }) {
        isTaken = true;
        show(started);
        if (begun.conversationId === '') onStarted(started.conversationId);
      },
    };
    const outcome = await askForReply(asked, listener, own.signal);
    text.end();
    if ('reply' in outcome) show({ isOver: true, reply: outcome.reply });
    else if (isTaken) show({ isOver: true });
    else setExchange(undefined);
    dispatch(api.util.invalidateTags(['chat']));
    if ('problem' in outcome && !own.signal.aborted) announceFailure(outcome.problem);
    return isTaken || !('problem' in outcome);
  }

  return { exchange, run, abort: () => running.current?.abort() };
}

/** Pieces of a text, batched a few times a second. */
function batchedText(onText: (text: string) => void) {
  let text = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    add(piece: string) {
      text += piece;
      timer ??= setTimeout(() => {
        timer = undefined;
        onText(text);
      }, SHOW_MS);
    },
    end: () => clearTimeout(timer),
  };
}

function useFailure() {
  const { t } = useTranslation('chat');
  return (problem: CallProblem) => {
    // The member who stopped it knows.
    if (problem.code === 'reply-stopped') return;
    const description = describeProblem(t, withReason(t, problem), t('sendFailed'));
    showFailure({ title: t('error'), description });
  };
}

type ReplyListener = {
  /** The message is kept and is being answered. */
  onStarted(begun: ReplyBegun): void;
  onText(piece: string): void;
};

/** A reply that waits for an approval is read with its conversation. */
type ReplyOutcome =
  | { readonly reply: ChatReply }
  | { readonly waits: true }
  | { readonly problem: CallProblem };

/** Asks for a reply and hears it as it is written. Aborting it stops the agent. */
async function askForReply(
  request: Call,
  listener: ReplyListener,
  signal: AbortSignal,
): Promise<ReplyOutcome> {
  const keyed = lostAnswers.withKey(request);
  let isTaken = false;
  const heard: ReplyListener = {
    ...listener,
    onStarted(begun) {
      isTaken = true;
      listener.onStarted(begun);
    },
  };
  const first = await ask(keyed, heard, signal);
  const isRefused = 'problem' in first && first.problem.code === NotSignedIn.code;
  // As other calls are: nothing came of it before.
  const goesOn = isRefused && (await endedSignIn.askAgain());
  const outcome = goesOn ? await ask(keyed, heard, signal) : first;
  // A message that is known to be kept, or was taken back, may be said again.
  if ('problem' in outcome && !isTaken && !signal.aborted)
    lostAnswers.ended(keyed, outcome.problem);
  return outcome;
}

async function ask(
  { method, path, body, idempotencyKey }: Call,
  listener: ReplyListener,
  signal: AbortSignal,
): Promise<ReplyOutcome> {
  try {
    const response = await inTrace(method, (traceparent) =>
      fetch(path, {
        method,
        signal,
        credentials: 'same-origin',
        headers: {
          Accept: 'text/event-stream',
          Traceparent: traceparent,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    if (!response.ok || !response.body) {
      const answer: unknown = await response.json().catch(() => null);
      const correlationId = response.headers.get('Tallyhand-Correlation-Id') ?? undefined;
      return { problem: problemOf(response.status, answer, correlationId) };
    }
    return await listen(response.body, listener);
  } catch {
    return { problem: networkProblem() };
  }
}

/** A stream that breaks off is a lost connection, whatever was heard of it. */
async function listen(
  stream: ReadableStream<Uint8Array>,
  { onStarted, onText }: ReplyListener,
): Promise<ReplyOutcome> {
  let outcome: ReplyOutcome | undefined;
  const parser = createParser({
    onEvent({ event, data }) {
      const payload: unknown = JSON.parse(data);
      if (event === 'started') onStarted(ReplyBegun.parse(payload));
      if (event === 'text') onText(ReplyPiece.parse(payload).piece);
      if (event === 'reply') {
        const doesWait = ReplyWaits.safeParse(payload).success;
        outcome = doesWait ? { waits: true } : { reply: ChatReply.parse(payload) };
      }
      if (event === 'failed') outcome = { problem: failureOf(payload) };
    },
  });
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parser.feed(decoder.decode(next.value, { stream: true }));
  }
  return outcome ?? { problem: networkProblem() };
}

const failureOf = (payload: unknown) => {
  const status = (payload as { status?: unknown } | null)?.status;
  return problemOf(typeof status === 'number' ? status : 500, payload);
};
