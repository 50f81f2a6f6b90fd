import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { PRICE_OF } from '@tallyhand/contracts/features/credits/credits.prices';
import {
  CirclePause,
  CirclePlay,
  EllipsisVertical,
  Globe,
  History,
  Library,
  Mail,
  MessageSquare,
  Pencil,
  Play,
  Trash2,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useAnnounce } from '../../app/announce.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DropdownMenu, MenuItem, MenuSeparator } from '../../ui/dropdown-menu.tsx';
import { HeaderButton } from '../../ui/header-button.tsx';
import { MailboxTrouble } from '../mailboxes/mailbox-trouble.tsx';
import { useChangeAgentMutation } from './agents.api.ts';
import type { AgentsOverlay } from './agents-overlay.ts';

const TAGS_SHOWN = 3;

export type AgentCardProps = {
  agent: Agent;
  mayKeep: boolean;
  balance: number;
  open: (overlay: AgentsOverlay) => void;
  showHistory: (id: string) => void;
};

export function AgentCard(props: AgentCardProps) {
  const { agent, balance, open } = props;
  const { t } = useTranslation('agents');
  const { expertise } = agent.personaConfig;
  const more = expertise.length - TAGS_SHOWN;
  return (
    <article
      aria-label={agent.name}
      className="flex h-full flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-base font-semibold" title={agent.name}>
            {agent.name}
          </h2>
          <p className="truncate text-xs text-muted">{agent.personaConfig.role}</p>
        </div>
        <AgentMenu {...props} />
      </div>
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
          size="sm"
          disabled={!agent.isActive || balance < PRICE_OF.task}
          onClick={() => open({ kind: 'execute', agent })}
        >
          <Play aria-hidden />
          {t('executeShort')}
        </Button>
      </div>
    </article>
  );
}

function AgentMenu({ agent, mayKeep, balance, open, showHistory }: AgentCardProps) {
  const { t } = useTranslation('agents');
  const { t: common } = useTranslation('common');
  const toggle = useToggle(agent);
  const navigate = useNavigate();
  return (
    <DropdownMenu
      trigger={
        <HeaderButton
          aria-label={common('actions.more', { name: agent.name })}
          className="-mt-1 -mr-2"
        >
          <EllipsisVertical aria-hidden />
        </HeaderButton>
      }
    >
      <MenuItem
        icon={MessageSquare}
        disabled={!agent.isActive}
        onSelect={() => open({ kind: 'chat', agent })}
      >
        {t('menu.chat')}
      </MenuItem>
      <MenuItem
        icon={Play}
        disabled={!agent.isActive || balance < PRICE_OF.task}
        onSelect={() => open({ kind: 'execute', agent })}
      >
        {t('menu.execute', { count: PRICE_OF.task })}
      </MenuItem>
      <MenuItem
        icon={Globe}
        disabled={!agent.isActive || balance < PRICE_OF.step}
        onSelect={() => navigate(`/autonomous?start=${agent.id}`)}
      >
        {t('menu.session')}
      </MenuItem>
      {mayKeep && (
        <MenuItem icon={Library} onSelect={() => open({ kind: 'assign', agent })}>
          {t('menu.assign')}
        </MenuItem>
      )}
      {mayKeep && (
        <MenuItem icon={Mail} onSelect={() => open({ kind: 'mailbox', agent })}>
          {t('menu.mailbox')}
        </MenuItem>
      )}
      <MenuItem icon={agent.isActive ? CirclePause : CirclePlay} onSelect={toggle}>
        {agent.isActive ? t('menu.pause') : t('menu.activate')}
      </MenuItem>
      {mayKeep && (
        <MenuItem icon={Pencil} onSelect={() => open({ kind: 'edit', agent })}>
          {t('menu.edit')}
        </MenuItem>
      )}
      <MenuItem icon={History} onSelect={() => showHistory(agent.id)}>
        {t('menu.history')}
      </MenuItem>
      {mayKeep && (
        <>
          <MenuSeparator />
          <MenuItem icon={Trash2} danger onSelect={() => open({ kind: 'delete', agent })}>
            {t('menu.delete')}
          </MenuItem>
        </>
      )}
    </DropdownMenu>
  );
}

function useToggle({ id, isActive }: Agent) {
  const { t } = useTranslation('agents');
  const announce = useAnnounce();
  const [change] = useChangeAgentMutation();
  return () =>
    announce(change({ id, change: { isActive: !isActive } }), {
      done: isActive ? t('toasts.paused') : t('toasts.activated'),
      failed: t('toasts.updateFailed'),
    });
}
