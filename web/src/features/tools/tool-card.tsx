import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { EllipsisVertical, FlaskConical, History, KeyRound, Pencil, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { DropdownMenu, MenuItem, MenuSeparator } from '../../ui/dropdown-menu.tsx';
import { listFormat } from '../../ui/formats.ts';
import { HeaderButton } from '../../ui/header-button.tsx';
import { DateText } from '../../ui/time.tsx';
import { ToolTypeBadge } from './tool-types.tsx';
import type { ToolsOverlay } from './tools-overlay.ts';

type ToolCardProps = {
  tool: Tool;
  /** Absent for those who may not change tools. */
  open?: (overlay: ToolsOverlay) => void;
  onHistory: () => void;
};

export function ToolCard({ tool, open, onHistory }: ToolCardProps) {
  const { t, i18n } = useTranslation('tools');
  const names = listFormat(i18n.language, { type: 'unit' }).format(tool.credentialNames);
  return (
    <article
      aria-label={tool.name}
      className="flex h-full flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-base font-semibold" title={tool.name}>
            {tool.name}
          </h2>
          <Reach tool={tool} />
        </div>
        <ToolMenu tool={tool} open={open} onHistory={onHistory} />
      </div>
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
    </article>
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

function ToolMenu({ tool, open, onHistory }: ToolCardProps) {
  const { t } = useTranslation('tools');
  const { t: common } = useTranslation('common');
  return (
    <DropdownMenu
      trigger={
        <HeaderButton
          aria-label={common('actions.more', { name: tool.name })}
          className="-mt-1.5 -mr-2"
        >
          <EllipsisVertical aria-hidden />
        </HeaderButton>
      }
    >
      {open && (
        <>
          <MenuItem icon={Pencil} onSelect={() => open({ kind: 'edit', tool })}>
            {t('menu.edit')}
          </MenuItem>
          <MenuItem icon={FlaskConical} onSelect={() => open({ kind: 'test', tool })}>
            {t('menu.test')}
          </MenuItem>
        </>
      )}
      <MenuItem icon={History} onSelect={onHistory}>
        {t('menu.history')}
      </MenuItem>
      {open && (
        <>
          <MenuSeparator />
          <MenuItem icon={Trash2} danger onSelect={() => open({ kind: 'delete', tool })}>
            {t('menu.delete')}
          </MenuItem>
        </>
      )}
    </DropdownMenu>
  );
}
