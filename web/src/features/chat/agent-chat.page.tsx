import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { type Conversation, TITLE_MAX } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { ArrowLeft, Link2, Pencil, Play, Plus, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { useAnnounce } from '../../app/announce.ts';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { copyText } from '../../app/copy-text.ts';
import { LoadFailed } from '../../app/loaded.tsx';
import { MoreMenu } from '../../app/resource-list.tsx';
import { useSearchParam } from '../../app/use-address.ts';
import { useTitle } from '../../app/use-title.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { isMissing, MissingAgent } from '../agents/missing-agent.tsx';
import {
  useDeleteConversationMutation,
  useGetAgentQuery,
  useListConversationsQuery,
  useRenameConversationMutation,
} from './chat.api.ts';
import { Composer, MessageList } from './message-list.tsx';
import { useTalk } from './use-talk.ts';

/** `/agent/{id}`: the chat with an agent. `?c=` is the conversation. */
export function AgentChatPage() {
  const { t } = useTranslation('chat');
  const { id = '' } = useParams();
  const { data: agent, error, refetch } = useGetAgentQuery(id);
  const [conversationId, setConversationId] = useSearchParam('c');
  // A new conversation keeps its view when it gets its address.
  const [opened, setOpened] = useState({ count: 0, begun: '' });
  const isHere = conversationId === '' || conversationId === opened.begun;
  const choose = (chosen: string) => {
    setOpened(({ count }) => ({ count: count + 1, begun: '' }));
    setConversationId(chosen);
  };
  useTitle(agent ? t('title', { name: agent.name }) : t('loading'));
  if (!agent && isMissing(error)) return <MissingAgent title={t('heading')} />;
  if (!agent && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!agent) {
    return (
      <p className="py-6 text-center text-muted" aria-busy>
        {t('loading')}
      </p>
    );
  }
  return (
    // Up to the edges of the content, and as high as the screen below the header.
    <div className="-mx-4 -my-6 flex min-h-[calc(100dvh-3.5rem)] flex-col md:-mx-6">
      <ChatHeader agent={agent} />
      <div className="flex w-full flex-1 flex-col md:flex-row">
        <Conversations agentId={id} chosen={conversationId} choose={choose} />
        <div className="flex min-w-0 flex-1 flex-col">
          <h1 className="sr-only">{t('title', { name: agent.name })}</h1>
          <TalkView
            key={isHere ? opened.count : conversationId}
            agent={agent}
            conversationId={conversationId}
            onStarted={(begun) => {
              setOpened(({ count }) => ({ count, begun }));
              setConversationId(begun);
            }}
          />
        </div>
      </div>
    </div>
  );
}

function ChatHeader({ agent }: { agent: Agent }) {
  const { t } = useTranslation('chat');
  const share = () =>
    copyText(`${window.location.origin}/agent/${agent.id}`, {
      done: t('linkCopied'),
      failed: t('copyFailed'),
    });
  return (
    <div className="sticky top-14 z-10 flex min-h-14 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2">
      <ButtonLink variant="ghost" size="sm" icon={ArrowLeft} to="/agents">
        {' '}
        <span className="max-sm:sr-only">{t('back')}</span>
      </ButtonLink>
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2">
          <span className="truncate font-semibold" title={agent.name}>
            {agent.name}
          </span>
          <StatusBadge
            status={agent.isActive ? 'success' : 'paused'}
            label={agent.isActive ? t('active') : t('paused')}
          />
        </p>
        <p className="truncate text-xs text-muted">{agent.personaConfig.role}</p>
      </div>
      <Button icon={Link2} size="sm" onClick={share}>
        <span className="max-sm:sr-only">{t('share')}</span>
      </Button>
      <ButtonLink size="sm" icon={Play} to={`/agents/${agent.id}/execute`}>
        {' '}
        <span className="max-sm:sr-only">{t('execute')}</span>
      </ButtonLink>
    </div>
  );
}

type TalkProps = {
  agent: Agent;
  /** Empty before the first message. */
  conversationId: string;
  onStarted: (conversationId: string) => void;
};

/** A page's conversation: the messages, and the field for the next one. */
function TalkView({ agent, conversationId, onStarted }: TalkProps) {
  const { t } = useTranslation('chat');
  const [text, setText] = useState('');
  const talk = useTalk(agent, conversationId, onStarted);
  const { name, personaConfig, isActive } = agent;
  return (
    <>
      <MessageList
        talk={talk}
        name={name}
        greeting={t('greeting', { name, role: personaConfig.role })}
        fallback={t('fallback')}
        mayRegenerate={isActive}
        level="h2"
      />
      <Composer
        talk={talk}
        isPaused={!isActive}
        text={text}
        setText={setText}
        className="sticky bottom-0 bg-surface px-4"
      />
    </>
  );
}

type ConversationsProps = {
  agentId: string;
  chosen: string;
  choose: (id: string) => void;
};

/** The own conversations with an agent: one is chosen, or a new one begins. */
function Conversations({ agentId, chosen, choose }: ConversationsProps) {
  const { t } = useTranslation('chat');
  const { data: conversations = [] } = useListConversationsQuery(agentId);
  const [changed, setChanged] = useState<{ kind: 'rename' | 'delete'; of: Conversation }>();
  const close = () => setChanged(undefined);
  return (
    <nav
      aria-label={t('conversations.title')}
      className="flex max-h-40 shrink-0 flex-col gap-2 overflow-y-auto border-b border-line p-3 md:sticky md:top-28 md:h-[calc(100dvh-7rem)] md:max-h-none md:w-64 md:border-r md:border-b-0"
    >
      <Button icon={Plus} size="sm" onClick={() => choose('')}>
        {t('conversations.new')}
      </Button>
      {conversations.length === 0 && (
        <p className="px-1 text-xs text-muted">{t('conversations.none')}</p>
      )}
      <ul className="flex flex-col gap-1">
        {conversations.map((conversation) => (
          <li key={conversation.id} className="flex items-center gap-1">
            <button
              type="button"
              aria-current={conversation.id === chosen ? 'true' : undefined}
              title={conversation.title}
              onClick={() => choose(conversation.id)}
              className={cx(
                'min-w-0 flex-1 truncate rounded-md px-3 py-2 text-left text-sm text-muted',
                'hover:bg-sunken hover:text-text aria-[current]:bg-sunken aria-[current]:text-text',
              )}
            >
              {conversation.title}
            </button>
            <MoreMenu label={t('conversations.actions', { title: conversation.title })}>
              <MenuItem
                icon={Pencil}
                onSelect={() => setChanged({ kind: 'rename', of: conversation })}
              >
                {t('conversations.rename')}
              </MenuItem>
              <MenuItem
                icon={Trash2}
                danger
                onSelect={() => setChanged({ kind: 'delete', of: conversation })}
              >
                {t('conversations.delete')}
              </MenuItem>
            </MoreMenu>
          </li>
        ))}
      </ul>
      {changed?.kind === 'rename' && <RenameDialog conversation={changed.of} close={close} />}
      {changed?.kind === 'delete' && (
        <DeleteConversation
          conversation={changed.of}
          close={close}
          onDeleted={() => changed.of.id === chosen && choose('')}
        />
      )}
    </nav>
  );
}

function RenameDialog({ conversation, close }: { conversation: Conversation; close: () => void }) {
  const { t } = useTranslation('chat');
  const [rename, { isLoading }] = useRenameConversationMutation();
  const [title, setTitle] = useState(conversation.title);
  const announce = useAnnounce();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() === '' || isLoading) return;
    const { error } = await announce(rename({ id: conversation.id, title: title.trim() }), {
      done: t('conversations.renamed'),
      failed: t('conversations.failed'),
    });
    if (!error) close();
  };
  return (
    <FormDialog
      title={t('conversations.renameTitle')}
      submit={submit}
      submitLabel={t('conversations.save')}
      pending={isLoading}
      dirty={title !== conversation.title}
      close={close}
    >
      <Field label={t('conversations.titleField')} required>
        <Input
          maxLength={TITLE_MAX}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

function DeleteConversation({
  conversation,
  close,
  onDeleted,
}: {
  conversation: Conversation;
  close: () => void;
  onDeleted: () => void;
}) {
  const { t } = useTranslation('chat');
  const [remove] = useDeleteConversationMutation();
  return (
    <ConfirmAction
      title={t('conversations.deleteTitle')}
      description={t('conversations.deleteDescription')}
      confirmLabel={t('conversations.delete')}
      run={() => remove(conversation.id)}
      announcement={{ done: t('conversations.deleted'), failed: t('conversations.failed') }}
      staysOnFailure
      onDone={onDeleted}
      close={close}
    />
  );
}
