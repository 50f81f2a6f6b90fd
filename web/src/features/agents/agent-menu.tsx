import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { AGENT_NAME_MAX } from '@tallyhand/contracts/features/agents/agents.fields';
import {
  CirclePause,
  CirclePlay,
  Columns2,
  Copy,
  Globe,
  Library,
  Mail,
  MessageSquare,
  Play,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { type Outcome, useAnnounce } from '../../app/announce.ts';
import type { ResourceActions } from '../../app/resource-page.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { VersionedItems } from '../audit/versioned-dialogs.tsx';
import { ChatDialog } from '../chat/chat-dialog.tsx';
import { MailboxDialog } from '../mailboxes/mailbox-dialog.tsx';
import { useWorkPrice } from '../models/work-price.ts';
import {
  useCreateAgentMutation,
  useLazyGetAssignmentsQuery,
  useSetAgentActiveMutation,
} from './agents.api.ts';
import { AssignDialog } from './assign-dialog.tsx';
import { ExecuteFields, ExecuteOutcome, useExecuteForm } from './execute-form.tsx';

export const agentDialogs = {
  assign: (agent: Agent, close: () => void) => <AssignDialog agent={agent} close={close} />,
  mailbox: (agent: Agent, close: () => void) => <MailboxDialog agent={agent} close={close} />,
  execute: (agent: Agent, close: () => void) => <ExecuteDialog agent={agent} close={close} />,
  chat: (agent: Agent, close: () => void) => <ChatDialog agent={agent} close={close} />,
};

export type AgentActions = ResourceActions<Agent, keyof typeof agentDialogs>;

type AgentMenuProps = AgentActions & { agent: Agent; balance: number };

/** What can be done with an agent. */
export function AgentMenu({ agent, mayChange, balance, open, showHistory }: AgentMenuProps) {
  const { t } = useTranslation('agents');
  const toggle = useToggle(agent);
  const duplicate = useDuplicate(agent);
  const navigate = useNavigate();
  const { id, isActive, model } = agent;
  const price = useWorkPrice('task', model) ?? 1;
  const stepPrice = useWorkPrice('step', model) ?? 1;
  return (
    <>
      <MenuItem icon={MessageSquare} disabled={!isActive} onSelect={() => open('chat', agent)}>
        {t('menu.chat')}
      </MenuItem>
      <MenuItem
        icon={Play}
        disabled={!isActive || balance < price}
        onSelect={() => open('execute', agent)}
      >
        {t('menu.execute', { count: price })}
      </MenuItem>
      <MenuItem
        icon={Globe}
        disabled={!isActive || balance < stepPrice}
        onSelect={() => navigate(`/autonomous?start=${id}`)}
      >
        {t('menu.session')}
      </MenuItem>
      <MenuItem
        icon={Columns2}
        disabled={!isActive}
        onSelect={() => navigate(`/agents/${id}/compare`)}
      >
        {t('menu.compare')}
      </MenuItem>
      {mayChange && (
        <>
          <MenuItem icon={Library} onSelect={() => open('assign', agent)}>
            {t('menu.assign')}
          </MenuItem>
          <MenuItem icon={Mail} onSelect={() => open('mailbox', agent)}>
            {t('menu.mailbox')}
          </MenuItem>
          <MenuItem icon={Copy} onSelect={() => void duplicate()}>
            {t('menu.duplicate')}
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

/** Creates an agent with the same texts and resources, and shows it. */
function useDuplicate({ id, name, description, personaConfig, isActive, model }: Agent) {
  const { t } = useTranslation('agents');
  const announce = useAnnounce();
  const navigate = useNavigate();
  const [load] = useLazyGetAssignmentsQuery();
  const [create] = useCreateAgentMutation();
  const copied = t('duplicate.name', { name: '' });
  const copyName = t('duplicate.name', { name: name.slice(0, AGENT_NAME_MAX - copied.length) });
  const copy = async (): Promise<Outcome<Agent>> => {
    const { data: assigned, error } = await load(id);
    if (!assigned) return { error };
    const { articles, playbooks, tools } = assigned;
    const resources = { articles, playbooks, tools };
    return create({ name: copyName, description, personaConfig, isActive, model, ...resources });
  };
  return async () => {
    const { data } = await announce(copy(), {
      done: t('toasts.created'),
      failed: t('toasts.createFailed'),
    });
    if (data) navigate(`/agents/${data.id}`);
  };
}

/** Instructions, then the work, then its result. Closing resets all three. */
function ExecuteDialog({ agent, close }: { agent: Agent; close: () => void }) {
  const { t } = useTranslation('agents');
  const { t: common } = useTranslation('common');
  const state = useExecuteForm(agent);
  const { form, submit, processing, execution, waitingTask, price, mayRun, attachments } = state;
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
            variant={waitingTask ? 'secondary' : 'primary'}
            pending={processing || attachments.isUploading}
            disabled={!mayRun && !processing}
          >
            {t('execute.submit', { count: price })}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
