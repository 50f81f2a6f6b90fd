import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { FlaskConical, KeyRound } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ResourceCard } from '../../app/resource-list.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { listFormat } from '../../ui/formats.ts';
import { DateText } from '../../ui/time.tsx';
import { VersionedItems } from '../audit/versioned-dialogs.tsx';
import { ToolTypeBadge } from './tool-types.tsx';
import type { ToolActions } from './tools.page.tsx';

export function ToolCard({ tool, mayChange, open, showHistory }: ToolActions & { tool: Tool }) {
  const { t, i18n } = useTranslation('tools');
  const names = listFormat(i18n.language, { type: 'unit' }).format(tool.credentialNames);
  const menu = (
    <VersionedItems
      kind="tools"
      onEdit={mayChange ? () => open('edit', tool) : undefined}
      onHistory={() => showHistory(tool.id)}
      onDelete={mayChange ? () => open('delete', tool) : undefined}
    >
      {mayChange && (
        <MenuItem icon={FlaskConical} onSelect={() => open('test', tool)}>
          {t('menu.test')}
        </MenuItem>
      )}
    </VersionedItems>
  );
  return (
    <ResourceCard name={tool.name} subtitle={<Reach tool={tool} />} menu={menu}>
      <p className="line-clamp-3 flex-1 break-words text-muted" title={tool.description}>
        {tool.description}
      </p>
      {tool.credentialsRequired && (
        <p className="flex items-center gap-2 text-xs text-warning">
          <KeyRound aria-hidden className="size-3.5 shrink-0" />
          {t('card.credentialsRequired')}
        </p>
      )}
      {names !== '' && (
        <p className="flex items-center gap-2 text-xs text-muted">
          <KeyRound aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate" title={names}>
            {t('card.credentials', { names })}
          </span>
        </p>
      )}
      <div className="flex items-center justify-between gap-2 border-t border-line pt-3 text-xs text-muted">
        <ToolTypeBadge type={tool.type} />
        <span>
          {t('card.version', { version: tool.version })} · <DateText at={tool.createdAt} />
        </span>
      </div>
    </ResourceCard>
  );
}

/** Where the tool goes, or what it runs. */
function Reach({ tool: { type, config } }: { tool: Tool }) {
  const { t } = useTranslation('tools');
  const { script = '', startUrl = '' } = config.extras;
  const lines = script.trim() === '' ? 0 : script.trim().split('\n').length;
  const address = type === 'api' ? config.baseUrl : type === 'browser' ? startUrl : '';
  const missing = {
    api: t('card.noBaseUrl'),
    browser: t('card.noStartUrl'),
    custom: lines > 0 ? t('card.script', { count: lines }) : t('card.noScript'),
  };
  return (
    <p className="truncate text-xs text-muted" title={address}>
      {address === '' ? missing[type] : hostOf(address)}
    </p>
  );
}

const hostOf = (address: string) => (URL.canParse(address) ? new URL(address).host : address);
