import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { PRICE_OF } from '@tallyhand/contracts/features/credits/credits.prices';
import { CirclePause, CirclePlay, Globe, Library, Mail, MessageSquare, Play } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useAnnounce } from '../../app/announce.ts';
import { ResourceCard } from '../../app/resource-list.tsx';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { VersionedItems } from '../audit/versioned-dialogs.tsx';
import { MailboxTrouble } from '../mailboxes/mailbox-trouble.tsx';
import { useChangeAgentMutation } from './agents.api.ts';
import type { AgentActions } from './agents.page.tsx';

const TAGS_SHOWN = 3;

type AgentCardProps = AgentActions & { agent: Agent; balance: number };

export function AgentCard(props: AgentCardProps) {
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
          size="sm"
          disabled={!agent.isActive || balance < PRICE_OF.task}
          onClick={() => open('execute', agent)}
        >
          <Play aria-hidden />
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
  const [change] = useChangeAgentMutation();
  return () =>
    announce(change({ id, change: { isActive: !isActive } }), {
      done: isActive ? t('toasts.paused') : t('toasts.activated'),
      failed: t('toasts.updateFailed'),
    });
}
