import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Banner } from '../ui/banner.tsx';
import { FormDialog, type FormDialogProps } from '../ui/dialog.tsx';
import { NotLoaded } from './loaded.tsx';

type Versioned = { version: number };

type Query = {
  currentData?: Versioned;
  error?: unknown;
  isFetching: boolean;
  refetch: () => void;
};

/** The editor of a versioned object: it starts with what the server holds. */
export function EditDialog({
  start,
  query,
  loading,
  pending,
  children,
  ...dialog
}: Omit<FormDialogProps, 'disabled'> & {
  /** Undefined until it is there. */
  start: Versioned | undefined;
  query: Query;
  /** What is loading, for a screen reader. */
  loading: string;
  /** Its fields. */
  children: ReactNode;
}) {
  const now = pending ? start?.version : query.currentData?.version;
  return (
    <FormDialog {...dialog} pending={pending} disabled={!start}>
      {start && (
        <>
          <ChangedSince start={start.version} now={now} />
          {children}
        </>
      )}
      {!start && (
        <NotLoaded
          query={{ error: query.isFetching ? undefined : query.error, refetch: query.refetch }}
          label={loading}
          count={5}
          skeleton="h-9"
        />
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

/** Warns in an editor when another member has saved a newer version meanwhile. */
export function ChangedSince({ start, now }: { start: number; now: number | undefined }) {
  const { t } = useTranslation('common');
  if (now === undefined || now === start) return null;
  return <Banner tone="warning">{t('changedSince', { version: now })}</Banner>;
}
