import type { WaitingApproval } from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import { Stamp } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { PagedList } from '../../app/loaded.tsx';
import { Page } from '../../app/page.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useFindApprovalsInfiniteQuery } from './tasks.api.ts';
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
  const { agentId, agentName, requestedBy, taskId, conversationId, input } = call;
  const { id: ownId } = useCurrentUser();
  const isOwn = requestedBy.id === ownId;
  return (
    <WaitingCall
      of={
        taskId === null ? { kind: 'reply', id: conversationId ?? '' } : { kind: 'task', id: taskId }
      }
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
        <h3 className="text-xs text-muted">{t(taskId === null ? 'call.message' : 'call.input')}</h3>
        <p className="mt-0.5 line-clamp-3 max-w-[68ch] break-words">{input}</p>
        {taskId !== null && (
          <p>
            <Link to={`/tasks?task=${taskId}`} className={linkClass}>
              {t('call.showTask')}
            </Link>
          </p>
        )}
        {/* Others may decide, but not read the conversation. */}
        {conversationId !== null && isOwn && (
          <p>
            <Link to={`/agent/${agentId}?c=${conversationId}`} className={linkClass}>
              {t('call.showConversation')}
            </Link>
          </p>
        )}
      </div>
    </WaitingCall>
  );
}
