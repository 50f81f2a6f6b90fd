import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { ArrowLeft, Link2, Play } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { showToast } from '../../ui/toast.ts';

export function ChatHeader({ agent }: { agent: Agent }) {
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
