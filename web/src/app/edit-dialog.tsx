import { entityTag } from '@tallyhand/contracts/kernel/entity-tag';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { FormDialog, type FormDialogProps } from '../ui/dialog.tsx';
import { later, useLater } from '../ui/later.tsx';
import { Loading, Skeletons } from '../ui/loading.tsx';
import type { Seen } from './change-seen.ts';
import type { Conflict, Editor } from './editor.ts';
import { NotLoaded } from './loaded.tsx';

type Opening = {
  query: { error?: unknown; isFetching: boolean; refetch: () => void };
  /** What is loading, for a screen reader. */
  label: string;
};

/** The editor of a versioned object, or the form of a new one. */
export function EditDialog({
  editor: { submitting, conflict },
  opening,
  now,
  submitLabel,
  children,
  ...dialog
}: Omit<FormDialogProps, 'disabled' | 'cancelLabel' | 'size' | keyof Editor['submitting']> & {
  editor: Editor;
  /** How the object is loaded, unless it is there when the editor opens. */
  opening?: Opening;
  /** The object as it is known to be by now. */
  now: Seen | undefined;
  /** Its fields. */
  children: ReactNode;
}) {
  const { t } = useTranslation('audit');
  const isLoading = opening !== undefined && !conflict;
  const isMet = conflict !== undefined && conflict.count > 0;
  const { pending, dirty } = submitting;
  const isMerged = isMet && dirty && conflict.meeting !== 'loading';
  const mergedLabel =
    conflict?.meeting === 'overlapping' ? t('conflict.keepMine') : t('conflict.saveBoth');
  return (
    <FormDialog
      {...dialog}
      {...submitting}
      size={isMet ? 'wide' : 'form'}
      disabled={isLoading || (isMet && ['loading', 'deleted'].includes(conflict.meeting))}
      submitLabel={isMerged && conflict.meeting !== 'deleted' ? mergedLabel : submitLabel}
      cancelLabel={isMerged ? t('conflict.discardMine') : undefined}
    >
      {isLoading ? (
        <NotLoaded
          query={{
            error: opening.query.isFetching ? undefined : opening.query.error,
            refetch: opening.query.refetch,
          }}
          label={opening.label}
          count={5}
          skeleton="h-9"
        />
      ) : (
        <>
          {conflict && <OtherChange conflict={conflict} now={pending ? undefined : now} />}
          {children}
        </>
      )}
    </FormDialog>
  );
}

/**
 * The server's state when an editor opens. Cached data may be old, and later data must not replace
 * what was typed. Undefined until it is loaded.
 */
export function useStart<T>(query: { currentData?: T; isFetching: boolean }): T | undefined {
  const [start, setStart] = useState<T>();
  const { currentData, isFetching } = query;
  useEffect(() => {
    if (!isFetching && currentData !== undefined) setStart((kept) => kept ?? currentData);
  }, [currentData, isFetching]);
  return start;
}

const panel = later(
  async () => (await import('../features/audit/conflict-panel.tsx')).ConflictPanel,
);

/** What another member changed since the editor opened: announced at first, then shown in full. */
function OtherChange({ conflict, now }: { conflict: Conflict; now: Seen | undefined }) {
  const { t } = useTranslation('audit');
  const { count, seen, begin } = conflict;
  const [isMissing, setMissing] = useState(false);
  const Panel = useLater(panel, count, () => setMissing(true));
  const isShown = count > 0;
  if (isShown && Panel) return <Panel key={count} {...conflict} />;
  if (isShown && !isMissing) {
    return (
      <Loading label={t('conflict.loading')} className="flex flex-col gap-2">
        <Skeletons count={2} className="h-9" />
      </Loading>
    );
  }
  const isNewer = now !== undefined && entityTag(now) !== entityTag(seen);
  if (!isShown && !isNewer) return null;
  const show = () => {
    setMissing(false);
    begin();
  };
  return (
    <Banner
      tone="warning"
      action={
        <Button size="sm" onClick={show}>
          {t('conflict.show')}
        </Button>
      }
    >
      {t('conflict.notice')}
    </Banner>
  );
}
