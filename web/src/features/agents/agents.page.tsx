import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { LOW_CREDITS_AGENTS } from '@tallyhand/contracts/features/credits/credits.prices';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { useSearchParam } from '../../app/use-search-param.ts';
import { useTitle } from '../../app/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Deletions } from '../audit/deletions.tsx';
import { ChatDialog } from '../chat/chat-dialog.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { MailboxDialog } from '../mailboxes/mailbox-dialog.tsx';
import { LowCredits } from '../organizations/low-credits.tsx';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { AgentCard, type AgentCardProps } from './agent-card.tsx';
import { AgentDialog } from './agent-dialog.tsx';
import { AgentHistoryDialog } from './agent-history-dialog.tsx';
import { useListAgentsQuery } from './agents.api.ts';
import type { AgentsOverlay } from './agents-overlay.ts';
import { AssignDialog } from './assign-dialog.tsx';
import { DeleteAgentDialog } from './delete-agent-dialog.tsx';
import { ExecuteDialog } from './execute-dialog.tsx';

const SKELETONS = 6;

/** `?history=ID` opens the history of one, also of one that is deleted. */
export function AgentsPage() {
  const { t } = useTranslation('agents');
  const { role } = useCurrentUser();
  const { data: organization } = useGetOrganizationQuery();
  const [overlay, setOverlay] = useState<AgentsOverlay>();
  const [historyId, setHistoryId] = useSearchParam('history');
  useTitle(t('title'));
  const mayKeep = mayCall(role, createAgent);
  const balance = organization?.creditBalance;
  return (
    <Page>
      <PageHeader
        title={t('title')}
        description={t('description')}
        action={
          mayKeep && (
            <Button variant="primary" onClick={() => setOverlay({ kind: 'create' })}>
              <Plus aria-hidden />
              {t('create')}
            </Button>
          )
        }
      />
      {balance !== undefined && balance < LOW_CREDITS_AGENTS && <LowCredits balance={balance} />}
      <AgentGrid
        mayKeep={mayKeep}
        open={setOverlay}
        showHistory={setHistoryId}
        balance={balance ?? 0}
      />
      {mayKeep && <Deletions kind="agents" showHistory={setHistoryId} />}
      <Overlay overlay={overlay} close={() => setOverlay(undefined)} />
      {historyId && (
        <AgentHistoryDialog id={historyId} canRestore={mayKeep} close={() => setHistoryId('')} />
      )}
    </Page>
  );
}

function AgentGrid(props: Omit<AgentCardProps, 'agent'>) {
  const { t } = useTranslation('agents');
  const { data: agents, error, refetch } = useListAgentsQuery();
  const grid = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3';
  if (!agents && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!agents) {
    return (
      <Loading label={t('loading')} className={grid}>
        <Skeletons count={SKELETONS} className="h-44 rounded-lg" />
      </Loading>
    );
  }
  if (agents.length === 0) {
    return (
      <EmptyState
        icon={Bot}
        title={t('empty.title')}
        description={props.mayKeep ? t('empty.description') : t('empty.forOthers')}
      />
    );
  }
  return (
    <ul aria-label={t('list')} className={grid}>
      {agents.map((agent) => (
        <li key={agent.id} className="long-list-card min-w-0">
          <AgentCard agent={agent} {...props} />
        </li>
      ))}
    </ul>
  );
}

function Overlay({ overlay, close }: { overlay?: AgentsOverlay; close: () => void }) {
  switch (overlay?.kind) {
    case undefined:
      return null;
    case 'create':
      return <AgentDialog close={close} />;
    case 'edit':
      return <AgentDialog agent={overlay.agent} close={close} />;
    case 'assign':
      return <AssignDialog agent={overlay.agent} close={close} />;
    case 'mailbox':
      return <MailboxDialog agent={overlay.agent} close={close} />;
    case 'execute':
      return <ExecuteDialog agent={overlay.agent} close={close} />;
    case 'chat':
      return <ChatDialog agent={overlay.agent} close={close} />;
    case 'delete':
      return <DeleteAgentDialog agent={overlay.agent} close={close} />;
  }
}
