import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { ArrowLeft, Bot, Link2, LogIn, Play } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import { LoadFailed } from '../../app/load-failed.tsx';
import { PageSpinner } from '../../app/page-spinner.tsx';
import { asProblem } from '../../app/problem.ts';
import { SignedIn } from '../../app/signed-in.tsx';
import { useSearchParam } from '../../app/use-search-param.ts';
import { useTitle } from '../../app/use-title.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.ts';
import { useGetCurrentUserQuery } from '../identity/identity.api.ts';
import { useGetAgentQuery } from './chat.api.ts';
import { Composer } from './composer.tsx';
import { Conversations } from './conversations.tsx';
import { MessageList } from './message-list.tsx';
import { useTalk } from './use-talk.ts';

/** `/agent/{id}`: everybody may open it, members may chat. `?c=` is the conversation. */
export function AgentChatPage() {
  const { t } = useTranslation('chat');
  const { id = '' } = useParams();
  const { data: user, isLoading, error, refetch } = useGetCurrentUserQuery();
  if (isLoading) return <PageSpinner />;
  if (!user && asProblem(error).status !== 401) {
    return <LoadFailed error={error} onRetry={refetch} />;
  }
  if (!user) {
    return (
      <main className="mx-auto max-w-md px-4 py-12">
        <h1 className="sr-only">{t('heading')}</h1>
        <EmptyState
          icon={LogIn}
          title={t('signIn.title')}
          description={t('signIn.description')}
          action={
            <ButtonLink variant="primary">
              <Link to="/auth">{t('signIn.action')}</Link>
            </ButtonLink>
          }
        />
      </main>
    );
  }
  return (
    <SignedIn user={user}>
      <AgentChat id={id} />
    </SignedIn>
  );
}

function AgentChat({ id }: { id: string }) {
  const { t } = useTranslation('chat');
  const { data: agent, error, refetch } = useGetAgentQuery(id);
  const [conversationId, setConversationId] = useSearchParam('c');
  // The view of a conversation that begins goes on when it gets its address.
  const [opened, setOpened] = useState({ count: 0, begun: '' });
  const isHere = conversationId === '' || conversationId === opened.begun;
  const choose = (chosen: string) => {
    setOpened(({ count }) => ({ count: count + 1, begun: '' }));
    setConversationId(chosen);
  };
  useTitle(agent ? t('title', { name: agent.name }) : t('loading'));
  if (!agent && error) {
    if (asProblem(error).status !== 404) return <LoadFailed error={error} onRetry={refetch} />;
    return (
      <main className="mx-auto max-w-md px-4 py-12">
        <h1 className="sr-only">{t('heading')}</h1>
        <EmptyState
          icon={Bot}
          title={t('missing.title')}
          description={t('missing.description')}
          action={
            <ButtonLink variant="primary">
              <Link to="/agents">{t('missing.action')}</Link>
            </ButtonLink>
          }
        />
      </main>
    );
  }
  if (!agent) {
    return (
      <main className="px-4 py-12 text-center text-sm text-muted" aria-busy>
        {t('loading')}
      </main>
    );
  }
  return (
    <div className="flex min-h-dvh flex-col text-sm">
      <ChatHeader agent={agent} />
      <div className="flex w-full flex-1 flex-col md:flex-row">
        <Conversations agentId={id} chosen={conversationId} choose={choose} />
        <main className="flex min-w-0 flex-1 flex-col">
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
        </main>
      </div>
    </div>
  );
}

function ChatHeader({ agent }: { agent: Agent }) {
  const { t } = useTranslation('chat');
  const share = () =>
    navigator.clipboard.writeText(`${window.location.origin}/agent/${agent.id}`).then(
      () => showToast({ title: t('linkCopied') }),
      () => showToast({ variant: 'destructive', title: t('copyFailed') }),
    );
  return (
    <header className="sticky top-0 z-10 flex min-h-14 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2">
      <ButtonLink variant="ghost" size="sm">
        <Link to="/agents">
          <ArrowLeft aria-hidden />
          <span className="max-sm:sr-only">{t('back')}</span>
        </Link>
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
      <Button size="sm" onClick={share}>
        <Link2 aria-hidden />
        <span className="max-sm:sr-only">{t('share')}</span>
      </Button>
      <ButtonLink size="sm">
        <Link to={`/agents/${agent.id}/execute`}>
          <Play aria-hidden />
          <span className="max-sm:sr-only">{t('execute')}</span>
        </Link>
      </ButtonLink>
    </header>
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
