import { EllipsisVertical, History, type LucideIcon, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DropdownMenu, MenuItem, MenuSeparator } from '../../ui/dropdown-menu.tsx';
import { HeaderButton } from '../../ui/header-button.tsx';

export type KnowledgeCardProps = {
  title: string;
  category: string;
  /** Names of the menu's items. */
  words: { view: string; edit: string; history: string; delete: string };
  viewIcon: LucideIcon;
  onView: () => void;
  onHistory: () => void;
  /** Absent for those who may not. */
  onEdit?: () => void;
  onDelete?: () => void;
  children: ReactNode;
};

/** An article or a playbook in its grid. */
export function KnowledgeCard(props: KnowledgeCardProps) {
  const { title, category, onView, children } = props;
  return (
    <article
      aria-label={title}
      className="flex h-full flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-base font-semibold" title={title}>
            <button
              type="button"
              onClick={onView}
              className="max-w-full truncate rounded-sm text-left underline-offset-4 hover:underline"
            >
              {title}
            </button>
          </h2>
          <p className="truncate text-xs text-muted">{category}</p>
        </div>
        <CardMenu {...props} />
      </div>
      {children}
    </article>
  );
}

function CardMenu(props: KnowledgeCardProps) {
  const { t } = useTranslation('common');
  const { title, words, viewIcon, onView, onHistory, onEdit, onDelete } = props;
  return (
    <DropdownMenu
      trigger={
        <HeaderButton aria-label={t('actions.more', { name: title })} className="-mt-1 -mr-2">
          <EllipsisVertical aria-hidden />
        </HeaderButton>
      }
    >
      <MenuItem icon={viewIcon} onSelect={onView}>
        {words.view}
      </MenuItem>
      {onEdit && (
        <MenuItem icon={Pencil} onSelect={onEdit}>
          {words.edit}
        </MenuItem>
      )}
      <MenuItem icon={History} onSelect={onHistory}>
        {words.history}
      </MenuItem>
      {onDelete && (
        <>
          <MenuSeparator />
          <MenuItem icon={Trash2} danger onSelect={onDelete}>
            {words.delete}
          </MenuItem>
        </>
      )}
    </DropdownMenu>
  );
}
