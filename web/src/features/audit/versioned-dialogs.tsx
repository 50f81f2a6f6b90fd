import type { Deletion } from '@tallyhand/contracts/features/audit/deletions.endpoints';
import { History, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { Loaded, PagedList } from '../../app/loaded.tsx';
import { asProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { MenuItem, MenuSeparator } from '../../ui/dropdown-menu.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import {
  useListDeletionsInfiniteQuery,
  useRemoveMutation,
  useRestoreMutation,
  type VersionedKind,
} from './audit.api.ts';
import { ObjectHistory, type ObjectHistoryProps } from './object-history.tsx';

/** The items of a menu that all versioned objects share. What the user may not do is absent. */
export function VersionedItems({
  kind,
  onEdit,
  onHistory,
  onDelete,
  children,
}: {
  kind: VersionedKind;
  onEdit?: () => void;
  onHistory: () => void;
  onDelete?: () => void;
  /** Stand after the first item. */
  children?: ReactNode;
}) {
  const { t } = useTranslation(kind);
  return (
    <>
      {onEdit && (
        <MenuItem icon={Pencil} onSelect={onEdit}>
          {t('menu.edit')}
        </MenuItem>
      )}
      {children}
      <MenuItem icon={History} onSelect={onHistory}>
        {t('menu.history')}
      </MenuItem>
      {onDelete && (
        <>
          <MenuSeparator />
          <MenuItem icon={Trash2} danger onSelect={onDelete}>
            {t('menu.delete')}
          </MenuItem>
        </>
      )}
    </>
  );
}

/** Deletes a versioned object after asking; the toast offers to undo it. */
export function DeleteVersioned({
  kind,
  id,
  name,
  close,
}: {
  kind: VersionedKind;
  id: string;
  name: string;
  close: () => void;
}) {
  const { t } = useTranslation(kind);
  const [remove] = useRemoveMutation();
  const [restore] = useRestoreMutation();
  return (
    <DeleteDialog
      title={t('delete.title', { name, title: name })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      remove={() => remove({ kind, id })}
      deleted={{ done: t('toasts.deleted'), failed: t('toasts.deleteFailed') }}
      undo={{
        restore: () => restore({ kind, id }),
        done: t('toasts.restored'),
        failed: t('toasts.restoreFailed'),
      }}
      close={close}
    />
  );
}

/** The history of a versioned object, with the way back to an older version. */
export function HistoryDialog({
  title,
  description,
  close,
  ...history
}: ObjectHistoryProps & { title: string; description?: string; close: () => void }) {
  return (
    <Dialog close={close} size="wide" title={title} description={description}>
      <DialogBody className="min-h-80">
        <ObjectHistory {...history} />
      </DialogBody>
    </Dialog>
  );
}

export type View = 'text' | 'history';

/** How a reading dialog is opened and closed. */
export type Reading<Item> = {
  id: string;
  view: View;
  setView: (view: View) => void;
  /** Absent for those who may not. */
  onEdit?: (item: Item) => void;
  close: () => void;
};

type ReadingDialogProps<Item> = Reading<Item> &
  Pick<ObjectHistoryProps, 'renderContent'> & {
    kind: 'knowledge' | 'playbooks';
    query: { currentData?: Item; error?: unknown; refetch: () => unknown };
    children: (item: Item) => ReactNode;
  };

/**
 * One article or playbook in full, with its history in a second tab. Of a deleted one there is the
 * history alone, which restores it.
 */
export function ReadingDialog<Item extends { title: string; category: string; version: number }>(
  props: ReadingDialogProps<Item>,
) {
  const { kind, id, query, view, setView, onEdit, close, renderContent, children } = props;
  const { t } = useTranslation([kind, 'common']);
  const { currentData: item, error, refetch } = query;
  const isGone = !item && asProblem(error).status === 404;
  const history = (
    <ObjectHistory
      kind={kind}
      id={id}
      canRestore={onEdit !== undefined}
      currentVersion={item?.version}
      renderContent={renderContent}
    />
  );
  return (
    <Dialog
      close={close}
      size="wide"
      title={item?.title ?? t('view.label')}
      description={item?.category}
    >
      <DialogBody className="gap-0">
        {item && (
          <Tabs
            value={view}
            onChange={setView}
            label={t('view.label')}
            // As high as most of its contents, so that changing the tab moves nothing.
            className="min-h-80 flex-none"
            tabs={[
              { value: 'text', label: t('view.text') },
              { value: 'history', label: t('view.history') },
            ]}
          >
            <TabPanel value="text">{children(item)}</TabPanel>
            <TabPanel value="history">{history}</TabPanel>
          </Tabs>
        )}
        {isGone && history}
        {!item && !isGone && (
          <Loaded
            query={{ error, refetch }}
            loading={{
              label: t('loadingOne'),
              count: 5,
              className: 'flex min-h-80 flex-col gap-3',
            }}
          >
            {() => null}
          </Loaded>
        )}
      </DialogBody>
      {item && onEdit && (
        <DialogFooter>
          <DialogCancel label={t('common:actions.close')} />
          <Button variant="primary" onClick={() => onEdit(item)}>
            {t('view.edit')}
          </Button>
        </DialogFooter>
      )}
    </Dialog>
  );
}

type DeletionsProps = {
  kind: VersionedKind;
  showHistory: (id: string) => void;
  close: () => void;
};

/** What was deleted of a kind, for those who may restore it. */
export function DeletionsDialog({ kind, showHistory, close }: DeletionsProps) {
  const { t } = useTranslation('audit');
  const pages = useListDeletionsInfiniteQuery(kind);
  const show = (id: string) => {
    close();
    showHistory(id);
  };
  return (
    <Dialog
      close={close}
      title={t(`deletions.titles.${kind}`)}
      description={t('deletions.description')}
    >
      <DialogBody>
        <PagedList
          pages={pages}
          label={t(`deletions.titles.${kind}`)}
          loadingLabel={t('deletions.loading')}
          cardClassName="h-16 rounded-lg"
          empty={{
            icon: Trash2,
            title: t('deletions.empty.title'),
            description: t('deletions.empty.description'),
          }}
        >
          {(deletion) => <Deleted kind={kind} deletion={deletion} show={show} />}
        </PagedList>
      </DialogBody>
    </Dialog>
  );
}

function Deleted({
  kind,
  deletion,
  show,
}: {
  kind: VersionedKind;
  deletion: Deletion;
  show: (id: string) => void;
}) {
  const { t } = useTranslation('audit');
  const announce = useAnnounce();
  const [restore, { isLoading }] = useRestoreMutation();
  const { id, name, actor, createdAt } = deletion;
  const takeBack = () =>
    announce(restore({ kind, id }), {
      done: t('deletions.restored', { name }),
      failed: t('deletions.failed', { name }),
    });
  return (
    <Card className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 p-3">
      <div className="min-w-0 flex-1 basis-56">
        <h3 className="font-medium break-words">{name}</h3>
        <p className="text-xs break-words text-muted">
          {actor.name ?? (actor.id ? t('formerMember') : t('system'))} ·{' '}
          <RelativeTime at={createdAt} />
        </p>
      </div>
      <div className="flex gap-2">
        <Button variant="ghost" size="sm" onClick={() => show(id)}>
          {t('history')}
          <span className="sr-only">({name})</span>
        </Button>
        <Button size="sm" pending={isLoading} onClick={takeBack}>
          {t('deletions.restore')}
          <span className="sr-only">({name})</span>
        </Button>
      </div>
    </Card>
  );
}
