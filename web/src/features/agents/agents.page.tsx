import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { LOW_CREDITS_AGENTS } from '@tallyhand/contracts/features/credits/credits.prices';
import { Bot } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ResourceGrid } from '../../app/resource-list.tsx';
import { type ResourceActions, ResourcePage } from '../../app/resource-page.tsx';
import { ChatDialog } from '../chat/chat-dialog.tsx';
import { MailboxDialog } from '../mailboxes/mailbox-dialog.tsx';
import { LowCredits } from '../organizations/low-credits.tsx';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { AgentCard } from './agent-card.tsx';
import { AgentDialog } from './agent-dialog.tsx';
import { useListAgentsQuery } from './agents.api.ts';
import { AssignDialog } from './assign-dialog.tsx';
import { ExecuteDialog } from './execute-dialog.tsx';

const dialogs = {
  assign: (agent: Agent, close: () => void) => <AssignDialog agent={agent} close={close} />,
  mailbox: (agent: Agent, close: () => void) => <MailboxDialog agent={agent} close={close} />,
  execute: (agent: Agent, close: () => void) => <ExecuteDialog agent={agent} close={close} />,
  chat: (agent: Agent, close: () => void) => <ChatDialog agent={agent} close={close} />,
};

export type AgentActions = ResourceActions<Agent, keyof typeof dialogs>;

export function AgentsPage() {
  const { t } = useTranslation('agents');
  const query = useListAgentsQuery();
  const { data: organization } = useGetOrganizationQuery();
  const balance = organization?.creditBalance;
  return (
    <ResourcePage
      kind="agents"
      query={query}
      create={createAgent}
      title={t('title')}
      description={t('description')}
      createLabel={t('create')}
      intro={
        balance !== undefined && balance < LOW_CREDITS_AGENTS && <LowCredits balance={balance} />
      }
      list={(actions) => (
        <ResourceGrid
          query={query}
          label={t('list')}
          loading={t('loading')}
          skeleton="h-44 rounded-lg"
          empty={{
            icon: Bot,
            title: t('empty.title'),
            description: actions.mayChange ? t('empty.description') : t('empty.forOthers'),
          }}
        >
          {(agent) => <AgentCard agent={agent} balance={balance ?? 0} {...actions} />}
        </ResourceGrid>
      )}
      form={(agent, close) => <AgentDialog agent={agent} close={close} />}
      dialogs={dialogs}
      history={(agent) => ({ title: t('history.title'), description: agent?.name })}
    />
  );
}
