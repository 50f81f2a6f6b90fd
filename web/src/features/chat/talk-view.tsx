import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { type ChatMessage, MESSAGE_MAX } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { SourceList } from '../../ui/source-list.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { showToast } from '../../ui/toast.ts';
import { useGetConversationQuery, useSayMutation } from './chat.api.ts';

type Shown = Pick<ChatMessage, 'id' | 'role' | 'content' | 'sources'> & { createdAt?: string };

type TalkProps = {
  agent: Agent;
  /** Empty before the first message. */
  conversationId: string;
  onStarted: (conversationId: string) => void;
};

/** The messages, and the field for the next one. */
export function Talk({ agent, conversationId, onStarted }: TalkProps) {
  const { t } = useTranslation('chat');
  const { data } = useGetConversationQuery(conversationId, { skip: conversationId === '' });
  const [say, { isLoading }] = useSayMutation();
  const [waiting, setWaiting] = useState<string>();
  const { name, personaConfig } = agent;
  const greeting: Shown = {
    id: 'greeting',
    role: 'agent',
    content: t('greeting', { name, role: personaConfig.role }),
    sources: [],
  };
  const kept: Shown[] = data?.messages ?? [];
  const own: Shown[] =
    waiting === undefined ? [] : [{ id: 'waiting', role: 'user', content: waiting, sources: [] }];

  async function send(message: string): Promise<boolean> {
    setWaiting(message);
    const asked = conversationId === '' ? {} : { conversationId };
    const { data: reply, error } = await say({ agentId: agent.id, message, ...asked });
    setWaiting(undefined);
    if (reply) {
      if (conversationId === '') onStarted(reply.conversationId);
      return true;
    }
    const description = describeProblem(t, error) || t('sendFailed');
    showToast({ variant: 'destructive', title: t('error'), description });
    return false;
  }

  return (
    <>
      <MessageList messages={[greeting, ...kept, ...own]} typing={isLoading ? name : undefined} />
      <Composer disabled={!agent.isActive} pending={isLoading} send={send} />
    </>
  );
}

function MessageList({ messages, typing }: { messages: readonly Shown[]; typing?: string }) {
  const { t } = useTranslation('chat');
  const end = useRef<HTMLDivElement>(null);
  const count = messages.length;
  useEffect(() => {
    if (count > 0 || typing) end.current?.scrollIntoView({ block: 'end' });
  }, [count, typing]);
  return (
    <div
      role="log"
      aria-label={t('messages')}
      className="mx-auto flex w-full max-w-3xl flex-1 flex-col gap-4 px-4 py-6"
    >
      {messages.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      {typing && <p className="text-muted">{t('typing', { name: typing })}</p>}
      <div ref={end} className="scroll-mb-32" />
    </div>
  );
}

function Message({ message: { role, content, sources, createdAt } }: { message: Shown }) {
  const { t, i18n } = useTranslation('chat');
  const isOwn = role === 'user';
  return (
    <article
      className={cx(
        'flex max-w-[85%] flex-col gap-3 rounded-lg border px-4 py-3',
        isOwn ? 'self-end border-transparent bg-sunken' : 'self-start border-line bg-surface',
      )}
    >
      <p className="break-words whitespace-pre-wrap">{content || t('fallback')}</p>
      {sources.length > 0 && <SourceList level="h2" title={t('sources')} sources={sources} />}
      {createdAt && (
        <time dateTime={createdAt} className="text-xs text-muted">
          {new Date(createdAt).toLocaleTimeString(i18n.language, { timeStyle: 'short' })}
        </time>
      )}
    </article>
  );
}

type ComposerProps = {
  disabled: boolean;
  pending: boolean;
  send: (message: string) => Promise<boolean>;
};

/** Enter sends, Shift and Enter makes a line; a message that was not taken stays. */
function Composer({ disabled, pending, send }: ComposerProps) {
  const { t } = useTranslation('chat');
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  async function submit() {
    const message = text.trim();
    if (message === '' || pending || disabled) return;
    setText('');
    if (!(await send(message))) setText(message);
    field.current?.focus();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  }
  return (
    <form
      className="sticky bottom-0 border-t border-line bg-surface px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className="mx-auto flex max-w-3xl items-end gap-2">
        <Textarea
          ref={field}
          rows={1}
          aria-label={t('input')}
          placeholder={disabled ? t('pausedPlaceholder') : t('placeholder')}
          maxLength={MESSAGE_MAX}
          disabled={disabled}
          readOnly={pending}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton
          icon={SendHorizontal}
          label={t('send')}
          disabled={disabled || pending || text.trim() === ''}
          type="submit"
          className="mb-0.5"
        />
      </div>
      <p className="mx-auto mt-2 max-w-3xl text-xs text-muted">{t('footer')}</p>
    </form>
  );
}
