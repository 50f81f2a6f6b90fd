import { MESSAGE_MAX, MESSAGE_TOO_LONG } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { RefreshCw, SendHorizontal, Square } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Textarea } from '../../ui/field.tsx';
import { dateFormat, numberFormat } from '../../ui/formats.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { RUN_KEYS } from '../../ui/run-keys.ts';
import { AttachButton, AttachmentChips, FileDrop } from '../attachments/attach-files.tsx';
import { AttachedFiles } from '../attachments/attached-files.tsx';
import { useAttachments } from '../attachments/use-attachments.ts';
import { ReplyRating } from '../ratings/rating-buttons.tsx';
import { AnswerActions, AnswerText } from '../tasks/answer.tsx';
import { DecidedApprovals } from '../tasks/task-approvals.tsx';
import { ToolCallList } from '../tasks/tool-call-list.tsx';
import { WaitingCall } from '../tasks/waiting-call.tsx';
import { useGetChatBudgetQuery } from './chat.api.ts';
import type { Shown } from './exchange.ts';
import type { Talk } from './use-talk.ts';

type MessageListProps = {
  talk: Talk;
  name: string;
  /** Said by the agent before anything else, and kept nowhere. */
  greeting?: string;
  /** What stands for a reply without content. */
  fallback: string;
  /** The agent can be asked to answer again. */
  mayRegenerate: boolean;
  /** Where headings in messages stand in the order of those around. */
  level: 'h2' | 'h3';
};

/** What was said, the newest at the end, which stays in sight while it grows. */
export function MessageList(props: MessageListProps) {
  const { talk, name, greeting, fallback, mayRegenerate, level } = props;
  const { t } = useTranslation('chat');
  const { conversationId, messages, isWaiting, approval, isUnanswered, heard } = talk;
  const last = messages.at(-1);
  const state = t(approval ? 'waiting' : 'typing', { name });
  const end = useEndInSight(messages.length, last?.content.length ?? 0, isWaiting);
  return (
    <div className="flex-1 px-4 py-6 *:mx-auto *:mb-4 *:max-w-3xl">
      {/* What grows piece by piece would be read piece by piece: a reply is read when it is whole. */}
      <div role="log" aria-live="off" aria-label={t('messages')} className="flex flex-col gap-4">
        {greeting && (
          <Bubble by="agent">
            <p>{greeting}</p>
          </Bubble>
        )}
        {messages.map((message) => (
          <Message key={message.id} message={message} fallback={fallback} level={level}>
            {message === last && message.role === 'agent' && mayRegenerate && !isWaiting && (
              <Button icon={RefreshCw} variant="ghost" size="sm" onClick={talk.regenerate}>
                {t('regenerate')}
              </Button>
            )}
            <ReplyRating
              conversationId={conversationId}
              messageId={message.id}
              rating={message.rating}
            />
          </Message>
        ))}
      </div>
      <ToolCallList level={level} calls={talk.calls} />
      <DecidedApprovals approvals={talk.decided} level={level} />
      {isUnanswered && (
        <div className="flex flex-wrap items-center gap-3 text-muted">
          <p>{t('unanswered')}</p>
          {mayRegenerate && (
            <Button icon={RefreshCw} size="sm" onClick={talk.regenerate}>
              {t('tryAgain')}
            </Button>
          )}
        </div>
      )}
      {approval && (
        <WaitingCall
          key={approval.id}
          of={{ kind: 'reply', id: conversationId }}
          call={approval}
          level={level}
        />
      )}
      {isWaiting && (
        <p aria-hidden className="text-muted">
          {state}
        </p>
      )}
      <p role="status" className="sr-only">
        {isWaiting ? state : heard}
      </p>
      <div ref={end} className="scroll-mb-32" />
    </div>
  );
}

/** Scrolls to the end when something is added; while a reply grows, only if the reader is there. */
function useEndInSight(count: number, length: number, isWaiting: boolean) {
  const end = useRef<HTMLDivElement>(null);
  const isThere = useRef(true);
  useEffect(() => {
    if (!end.current) return;
    const observer = new IntersectionObserver(([entry]) => {
      isThere.current = entry?.isIntersecting ?? true;
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (count > 0 || isWaiting) end.current?.scrollIntoView({ block: 'end' });
  }, [count, isWaiting]);
  useEffect(() => {
    if (length > 0 && isThere.current) end.current?.scrollIntoView({ block: 'end' });
  }, [length]);
  return end;
}

type MessageProps = {
  message: Shown;
  fallback: string;
  level: 'h2' | 'h3';
  children: ReactNode;
};

function Message({ message, fallback, level, children }: MessageProps) {
  const { t, i18n } = useTranslation('chat');
  const { id, role, content, sources, toolCalls, stopped, attachments, createdAt } = message;
  return (
    <Bubble by={role}>
      {role === 'agent' ? (
        <AnswerText text={content || fallback} sources={sources} level={level} />
      ) : (
        <p className="break-words whitespace-pre-wrap">{content}</p>
      )}
      <AttachedFiles attachments={attachments} />
      <ToolCallList level={level} calls={toolCalls} />
      <DecidedApprovals level={level} approvals={message.approvals} />
      {role === 'agent' && id !== 'written' && (
        <AnswerActions text={content}>{children}</AnswerActions>
      )}
      <div className="flex items-center gap-2 text-xs text-muted empty:hidden">
        {createdAt && (
          <time dateTime={createdAt}>
            {dateFormat(i18n.language, { timeStyle: 'short' }).format(new Date(createdAt))}
          </time>
        )}
        {stopped && <span>{t('stopped')}</span>}
      </div>
    </Bubble>
  );
}

function Bubble({ by, children }: { by: Shown['role']; children: ReactNode }) {
  return (
    <article
      className={cx(
        'flex max-w-[85%] min-w-0 flex-col gap-3 rounded-lg border px-4 py-3',
        by === 'user'
          ? 'self-end border-transparent bg-sunken'
          : 'self-start border-line bg-surface',
      )}
    >
      {children}
    </article>
  );
}

type ComposerProps = {
  talk: Talk;
  isPaused: boolean;
  text: string;
  setText: (text: string) => void;
  className: string;
};

/**
 * Enter sends, Shift and Enter makes a line; a message that was not taken comes back, and one that
 * is too long stays as it was pasted.
 */
export function Composer({ talk, isPaused, text, setText, className }: ComposerProps) {
  const { t } = useTranslation(['chat', 'validation']);
  const { isWaiting, send, stop } = talk;
  const below = useId();
  const message = text.trim();
  const isTooLong = message.length > MESSAGE_MAX;
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const isSending = useRef(false);
  const attachments = useAttachments();
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (isWaiting || !isSending.current) return;
    isSending.current = false;
    // A field that can't be used loses the focus; who went elsewhere meanwhile stays there.
    const focused = document.activeElement;
    const isNear = focused?.contains(form.current) || form.current?.contains(focused);
    if (isNear && window.matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, [isWaiting]);

  useEffect(() => {
    if (!isHeld || attachments.isUploading) return;
    setIsHeld(false);
    // A message without one of its files is not what was meant.
    if (!attachments.files.some(({ error }) => error)) form.current?.requestSubmit();
  }, [isHeld, attachments]);

  async function submit() {
    if (message === '' || isTooLong || isWaiting || isPaused) return;
    if (attachments.isUploading) return setIsHeld(true);
    isSending.current = true;
    setText('');
    const taken = attachments.take();
    if (await send(message, attachments.ready)) return;
    setText(message);
    attachments.restore(taken);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  }
  return (
    <form
      ref={form}
      className={cx('border-t border-line py-3', className)}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <BudgetNotice />
      <FileDrop attachments={attachments} disabled={isPaused || isWaiting}>
        <div className="mx-auto mb-2 max-w-3xl empty:hidden">
          <AttachmentChips attachments={attachments} disabled={isWaiting} />
        </div>
        <div className="mx-auto flex max-w-3xl items-end gap-2">
          <AttachButton attachments={attachments} disabled={isPaused || isWaiting} />
          <Textarea
            ref={field}
            rows={1}
            aria-label={t('input')}
            placeholder={isPaused ? t('pausedPlaceholder') : t('placeholder')}
            aria-describedby={below}
            aria-keyshortcuts="Enter Control+Enter Meta+Enter"
            aria-invalid={isTooLong || undefined}
            disabled={isPaused || isWaiting}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
          />
          <IconButton
            icon={SendHorizontal}
            label={t('send')}
            disabled={isPaused || isWaiting || isTooLong || message === '' || isHeld}
            type="submit"
            className="mb-0.5"
          />
        </div>
      </FileDrop>
      {/* Stop stands apart from Send, so that a second click on the one is never the other. */}
      <div className="mx-auto mt-1 flex min-h-8 max-w-3xl items-center justify-between gap-3">
        <p
          id={below}
          aria-live="polite"
          className={cx('text-xs', isTooLong ? 'text-danger' : 'text-muted')}
        >
          {isTooLong ? t(MESSAGE_TOO_LONG, { ns: 'validation' }) : t(isHeld ? 'held' : 'footer')}
          {!isTooLong && !isHeld && (
            <span className="max-sm:hidden"> • {t('alsoSends', { keys: RUN_KEYS })}</span>
          )}
        </p>
        {isWaiting && (
          <Button icon={Square} size="sm" onClick={stop}>
            {t('stop')}
          </Button>
        )}
      </div>
    </form>
  );
}

/** The share of the budget from which the notice is shown. */
const NEAR = 0.8;

/** How much of its monthly tokens chat has used, when little or nothing of them is left. */
function BudgetNotice() {
  const { t, i18n } = useTranslation('chat');
  const { data } = useGetChatBudgetQuery();
  if (!data || data.monthlyTokens === null) return null;
  const { monthlyTokens, usedTokens, resetsAt } = data;
  if (usedTokens < NEAR * monthlyTokens) return null;
  const date = dateFormat(i18n.language, { dateStyle: 'long' }).format(new Date(resetsAt));
  const isUsedUp = usedTokens >= monthlyTokens;
  const percent = numberFormat(i18n.language, { style: 'percent' });
  const share = percent.format(Math.floor((100 * usedTokens) / Math.max(1, monthlyTokens)) / 100);
  return (
    <div className="mx-auto mb-3 w-full max-w-3xl">
      <Banner tone="warning">
        {isUsedUp ? t('budget.usedUp', { date }) : t('budget.near', { share, date })}
      </Banner>
    </div>
  );
}
