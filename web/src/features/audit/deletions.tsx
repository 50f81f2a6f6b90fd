import type { Deletion } from '@tallyhand/contracts/features/audit/deletions.endpoints';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { PagedList } from '../../app/paged-list.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import {
  useListDeletionsInfiniteQuery,
  useRestoreMutation,
  type VersionedKind,
} from './audit.api.ts';

type DeletionsProps = { kind: VersionedKind; showHistory: (id: string) => void };

/** Below a list: the way to what was deleted of it, for those who may restore. */
export function Deletions(props: DeletionsProps) {
  const { t } = useTranslation('audit');
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="flex justify-end">
      <Button variant="ghost" size="sm" onClick={() => setOpen(true)}>
        <Trash2 aria-hidden />
        {t(`deletions.titles.${props.kind}`)}
      </Button>
      {isOpen && <DeletionsDialog {...props} close={() => setOpen(false)} />}
    </div>
  );
}

function DeletionsDialog({ kind, showHistory, close }: DeletionsProps & { close: () => void }) {
  const { t } = useTranslation('audit');
  const pages = useListDeletionsInfiniteQuery(kind);
  const show = (id: string) => {
    close();
    showHistory(id);
  };
  return (
    <Dialog
      open
      onOpenChange={close}
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
