import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { ResourceCard } from '../../app/resource-list.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { VersionedItems } from '../audit/versioned-dialogs.tsx';

/** What a card can do with its article or playbook. */
export type ShelfActions = {
  onView: () => void;
  onHistory: () => void;
  /** Absent for those who may not. */
  onEdit?: () => void;
  onDelete?: () => void;
};

/** An article or a playbook in its grid. */
export function ShelfCard({
  kind,
  item: { title, category },
  viewIcon,
  viewLabel,
  actions: { onView, ...versioned },
  children,
}: {
  kind: 'knowledge' | 'playbooks';
  item: { title: string; category: string };
  viewIcon: LucideIcon;
  viewLabel: string;
  actions: ShelfActions;
  children: ReactNode;
}) {
  const menu = (
    <>
      <MenuItem icon={viewIcon} onSelect={onView}>
        {viewLabel}
      </MenuItem>
      <VersionedItems kind={kind} {...versioned} />
    </>
  );
  return (
    <ResourceCard
      name={title}
      subtitle={<p className="truncate text-xs text-muted">{category}</p>}
      open={onView}
      menu={menu}
    >
      {children}
    </ResourceCard>
  );
}
