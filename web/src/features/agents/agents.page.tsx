import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { LOW_CREDITS_AGENTS, PRICE_OF } from '@tallyhand/contracts/features/credits/credits.prices';
import {
  Bot,
  CirclePause,
  CirclePlay,
  Globe,
  Library,
  Mail,
  MessageSquare,
  Play,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useAnnounce } from '../../app/announce.ts';
import { ResourceCard, ResourceGrid } from '../../app/resource-list.tsx';
import { type ResourceActions, ResourcePage } from '../../app/resource-page.tsx';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { VersionedItems } from '../audit/versioned-dialogs.tsx';
import { ChatDialog } from '../chat/chat-dialog.tsx';
import { MailboxDialog } from '../mailboxes/mailbox-dialog.tsx';
import { MailboxTrouble } from '../mailboxes/mails-dialog.tsx';
import { LowCredits } from '../organizations/low-credits.tsx';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { AgentDialog } from './agent-dialog.tsx';
import { useListAgentsQuery, useSetAgentActiveMutation } from './agents.api.ts';
import { AssignDialog } from './assign-dialog.tsx';
import { ExecuteFields, ExecuteOutcome, useExecuteForm } from './execute-form.tsx';

const dialogs = {
  assign: (agent: Agent, close: () => void) => <AssignDialog agent={agent} close={close} />,
  mailbox: (agent: Agent, close: () => void) => <MailboxDialog agent={agent} close={close} />,
  execute: (agent: Agent, close: () => void) => <ExecuteDialog agent={agent} close={close} />,
  chat: (agent: Agent, close: () => void) => <ChatDialog agent={agent} close={close} />,
};

type AgentActions = ResourceActions<Agent, keyof typeof dialogs>;

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

const TAGS_SHOWN = 3;

type AgentCardProps = AgentActions & { agent: Agent; balance: number };

function AgentCard(props: AgentCardProps) {
  const { agent, balance, open } = props;
  const { t } = useTranslation('agents');
  const { role, expertise } = agent.personaConfig;
  const more = expertise.length - TAGS_SHOWN;
  return (
    <ResourceCard
      name={agent.name}
      subtitle={<p className="truncate text-xs text-muted">{role}</p>}
      menu={<MenuItems {...props} />}
    >
      <p className="line-clamp-2 flex-1 break-words text-muted" title={agent.description}>
        {agent.description}
      </p>
      <div className="flex flex-wrap gap-1">
        {expertise.slice(0, TAGS_SHOWN).map((area) => (
          <Badge key={area}>
            <span className="truncate">{area}</span>
          </Badge>
        ))}
        {more > 0 && <Badge>{t('more', { count: more })}</Badge>}
      </div>
      <MailboxTrouble agentId={agent.id} />
      <div className="flex items-center justify-between gap-2 border-t border-line pt-3">
        <StatusBadge
          status={agent.isActive ? 'success' : 'paused'}
          label={agent.isActive ? t('active') : t('paused')}
        />
        <Button
          icon={Play}
          size="sm"
          disabled={!agent.isActive || balance < PRICE_OF.task}
          onClick={() => open('execute', agent)}
        >
          {t('executeShort')}
        </Button>
      </div>
    </ResourceCard>
  );
}

function MenuItems({ agent, mayChange, balance, open, showHistory }: AgentCardProps) {
  const { t } = useTranslation('agents');
  const toggle = useToggle(agent);
  const navigate = useNavigate();
  const { id, isActive } = agent;
  return (
    <>
      <MenuItem icon={MessageSquare} disabled={!isActive} onSelect={() => open('chat', agent)}>
        {t('menu.chat')}
      </MenuItem>
      <MenuItem
        icon={Play}
        disabled={!isActive || balance < PRICE_OF.task}
        onSelect={() => open('execute', agent)}
      >
        {t('menu.execute', { count: PRICE_OF.task })}
      </MenuItem>
      <MenuItem
        icon={Globe}
        disabled={!isActive || balance < PRICE_OF.step}
        onSelect={() => navigate(`/autonomous?start=${id}`)}
      >
        {t('menu.session')}
      </MenuItem>
      {mayChange && (
        <>
          <MenuItem icon={Library} onSelect={() => open('assign', agent)}>
            {t('menu.assign')}
          </MenuItem>
          <MenuItem icon={Mail} onSelect={() => open('mailbox', agent)}>
            {t('menu.mailbox')}
          </MenuItem>
        </>
      )}
      <MenuItem icon={isActive ? CirclePause : CirclePlay} onSelect={toggle}>
        {isActive ? t('menu.pause') : t('menu.activate')}
      </MenuItem>
      <VersionedItems
        kind="agents"
        onEdit={mayChange ? () => open('edit', agent) : undefined}
        onHistory={() => showHistory(id)}
        onDelete={mayChange ? () => open('delete', agent) : undefined}
      />
    </>
  );
}

function useToggle({ id, isActive }: Agent) {
  const { t } = useTranslation('agents');
  const announce = useAnnounce();
  const [change] = useSetAgentActiveMutation();
  return () =>
    announce(change({ id, isActive: !isActive }), {
      done: isActive ? t('toasts.paused') : t('toasts.activated'),
      failed: t('toasts.updateFailed'),
    });
}

/** Instructions, then the work, then its result. Closing resets all three. */
function ExecuteDialog({ agent, close }: { agent: Agent; close: () => void }) {
  const { t } = useTranslation('agents');
  const { t: common } = useTranslation('common');
  const state = useExecuteForm(agent);
  const { form, submit, processing, execution, mayRun } = state;
  return (
    <Dialog
      close={close}
      dirty={form.formState.isDirty && !processing && !execution}
      size="wide"
      title={t('execute.title')}
      description={t('execute.description', { name: agent.name })}
    >
      <form noValidate onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          <ExecuteFields {...state} />
          <ExecuteOutcome {...state} />
        </DialogBody>
        <DialogFooter>
          <DialogCancel label={common('actions.close')} />
          <Button
            type="submit"
            variant="primary"
            pending={processing}
            disabled={!mayRun && !processing}
          >
            {t('execute.submit', { count: PRICE_OF.task })}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
