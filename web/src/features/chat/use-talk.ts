import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { chatWithAgent, regenerateReply } from '@tallyhand/contracts/features/chat/chat.endpoints';
import type { AgentUnavailable } from '@tallyhand/contracts/features/chat/chat.refusals';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { api } from '../../app/api.ts';
import { type Call, call } from '../../app/base-query.ts';
import { type CallProblem, describeProblem } from '../../app/problem.ts';
import { describeSentence } from '../../app/sentence.ts';
import { showToast } from '../../ui/toast.ts';
import { useGetConversationQuery, useStopReplyMutation } from './chat.api.ts';
import { type Exchange, messagesShown, type Shown } from './exchange.ts';
import { askForReply } from './reply-stream.ts';

/** A reply that is written elsewhere is asked for so often, should no change be told of. */
const POLL_MS = 3_000;
/** Text that comes faster is shown together. */
const SHOW_MS = 50;

export type Talk = {
  readonly messages: readonly Shown[];
  /** A reply is being written, here or elsewhere. */
  readonly isWaiting: boolean;
  /** The last message has no reply, and none is being written. */
  readonly isUnanswered: boolean;
  /** The reply that came last while this was open; for whoever can't see it come. */
  readonly heard: string;
  /** True when the message was taken. */
  send(message: string): Promise<boolean>;
  stop(): void;
  /** Answers the last message again. */
  regenerate(): void;
};

/** A conversation with an agent; `conversationId` is empty before the first message. */
export function useTalk(
  agent: Agent,
  conversationId: string,
  onStarted: (conversationId: string) => void,
): Talk {
  const [pollingInterval, poll] = useState(0);
  const { currentData: known } = useGetConversationQuery(conversationId, {
    skip: conversationId === '',
    pollingInterval,
  });
  const { exchange: last, run, abort } = useExchange(onStarted);
  const [stopReply] = useStopReplyMutation();
  const isHere = conversationId === '' || last?.conversationId === conversationId;
  const exchange = isHere ? last : undefined;
  const isWriting = exchange !== undefined && !exchange.isOver;
  const kept = known?.messages ?? [];
  const isOld = exchange?.reply && !kept.some(({ id }) => id === exchange.reply?.messageId);
  const isElsewhere = !isWriting && !isOld && known?.replyPending === true;
  useEffect(() => poll(isElsewhere ? POLL_MS : 0), [isElsewhere]);

  const messages = messagesShown(kept, exchange);
  const isWaiting = isWriting || isElsewhere;
  const at = () => new Date().toISOString();
  return {
    messages,
    isWaiting,
    isUnanswered: !isWaiting && messages.at(-1)?.role === 'user',
    heard: exchange?.reply?.response ?? '',
    send(message) {
      const body = { message, ...(conversationId === '' ? {} : { conversationId }) };
      const asked = call(chatWithAgent, { params: { id: agent.id }, body });
      return run(asked, { conversationId, said: message, at: at(), written: '', isOver: false });
    },
    stop() {
      if (conversationId === '') abort();
      else void stopReply(conversationId).then(({ error }) => error && abort());
    },
    regenerate() {
      const messageId = messages.findLast(({ role }) => role === 'user')?.id;
      if (messageId === undefined) return;
      const asked = call(regenerateReply, { params: { id: conversationId } });
      void run(asked, { conversationId, messageId, at: at(), written: '', isOver: false });
    },
  };
}

/** One exchange at a time; closing what shows it stops the agent. */
function useExchange(onStarted: (conversationId: string) => void) {
  const [exchange, setExchange] = useState<Exchange>();
  const running = useRef<AbortController>(undefined);
  const dispatch = useDispatch();
  const tell = useFailure();
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
    const text = gathered((written) => show({ written }));
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
    if ('problem' in outcome && !own.signal.aborted) tell(outcome.problem);
    return isTaken || 'reply' in outcome;
  }

  return { exchange, run, abort: () => running.current?.abort() };
}

/** Pieces of a text, told together some times a second. */
function gathered(tell: (text: string) => void) {
  let text = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    add(piece: string) {
      text += piece;
      timer ??= setTimeout(() => {
        timer = undefined;
        tell(text);
      }, SHOW_MS);
    },
    end: () => clearTimeout(timer),
  };
}

function useFailure() {
  const { t } = useTranslation('chat');
  return (problem: CallProblem) => {
    // Whoever stopped it knows.
    if (problem.code === 'reply-stopped') return;
    const { cause, reason } = problem.params as Partial<Parameters<typeof AgentUnavailable>[0]>;
    const params = cause && { ...problem.params, reason: describeSentence(t, cause, `${reason}`) };
    const told = params ? { ...problem, params } : problem;
    const description = describeProblem(t, told, t('sendFailed'));
    showToast({ variant: 'destructive', title: t('error'), description });
  };
}
