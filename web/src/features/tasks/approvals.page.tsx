import type { WaitingApproval } from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import { Stamp } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { PagedList } from '../../app/loaded.tsx';
import { Page } from '../../app/page.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Link } from '../../ui/link.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { type CallOwner, useFindApprovalsInfiniteQuery } from './approvals.api.ts';
import { CallFact, WaitingCall } from './waiting-call.tsx';

/** `/approvals`: the calls of tools that wait for a person, the longest waiting first. */
export function ApprovalsPage() {
  const { t } = useTranslation('approvals');
  const pages = useFindApprovalsInfiniteQuery(undefined);
  const list = useRef<HTMLDivElement>(null);
  return (
    <Page title={t('title')} description={t('description')}>
      {/* Takes the focus of the button that goes away. */}
      <div ref={list} tabIndex={-1} className="outline-none">
        <PagedList
          pages={pages}
          label={t('list')}
          loadingLabel={t('loading')}
          cardClassName="h-80 rounded-lg"
          empty={{
            icon: Stamp,
            title: t('empty.title'),
            description: t('empty.description'),
            action: <ButtonLink to="/tools">{t('empty.action')}</ButtonLink>,
          }}
        >
          {(call) => <Waiting call={call} onDecided={() => list.current?.focus()} />}
        </PagedList>
      </div>
    </Page>
  );
}

const linkClass = 'rounded-sm text-accent underline-offset-4 hover:underline';

function Waiting({ call, onDecided }: { call: WaitingApproval; onDecided: () => void }) {
  const { t } = useTranslation('approvals');
  const { agentId, agentName, requestedBy, conversationId, input } = call;
  return (
    <WaitingCall
      of={ownerOf(call)}
      call={call}
      level="h2"
      onDecided={onDecided}
      facts={
        <>
          <CallFact name={t('call.agent')}>
            {agentName === null ? (
              t('call.unknownAgent')
            ) : (
              <Link to={`/agents/${agentId}`} className={linkClass}>
                {agentName}
              </Link>
            )}
          </CallFact>
          <CallFact name={t('call.requestedBy')}>
            {requestedBy.name ??
              (requestedBy.id === null ? t('call.noMember') : t('call.formerMember'))}
          </CallFact>
        </>
      }
    >
      <div className="min-w-0">
        <h3 className="text-xs text-muted">
          {t(conversationId === null ? 'call.input' : 'call.message')}
        </h3>
        {/* There is no other place to read another member's message. */}
        <p
          className={cx(
            'mt-0.5 max-w-[68ch] break-words',
            conversationId === null ? 'line-clamp-3' : 'whitespace-pre-wrap',
          )}
        >
          {input}
        </p>
        <WorkLink call={call} />
      </div>
    </WaitingCall>
  );
}

function ownerOf({ taskId, conversationId, sessionId }: WaitingApproval): CallOwner {
  if (taskId !== null) return { kind: 'task', id: taskId };
  if (sessionId !== null) return { kind: 'session', id: sessionId };
  return { kind: 'reply', id: conversationId ?? '' };
}

/** Others may decide on the call of a reply, but not read the conversation. */
function WorkLink({ call }: { call: WaitingApproval }) {
  const { t } = useTranslation('approvals');
  const { id: ownId } = useCurrentUser();
  const { agentId, requestedBy } = call;
  const { kind, id } = ownerOf(call);
  if (kind === 'reply' && requestedBy.id !== ownId) return null;
  const links = {
    task: { to: `/tasks?task=${id}`, label: t('call.showTask') },
    reply: { to: `/agent/${agentId}?c=${id}`, label: t('call.showConversation') },
    session: { to: `/autonomous?session=${id}`, label: t('call.showSession') },
  };
  const { to, label } = links[kind];
  return (
    <p>
      <Link to={to} className={linkClass}>
        {label}
      </Link>
    </p>
  );
}
