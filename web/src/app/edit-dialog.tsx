import type { ReactNode } from 'react';
import { FormDialog, type FormDialogProps } from '../ui/form-dialog.tsx';
import { Loading, Skeletons } from '../ui/skeleton.tsx';
import { ChangedSince } from './changed-since.tsx';
import { LoadFailed } from './load-failed.tsx';

type Versioned = { version: number };

type Query = {
  currentData?: Versioned;
  error?: unknown;
  isFetching: boolean;
  refetch: () => void;
};

/** The editor of something that has versions: it opens with what the server holds. */
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
      {!start && Boolean(query.error) && !query.isFetching && (
        <LoadFailed error={query.error} onRetry={query.refetch} />
      )}
      {!start && (query.isFetching || !query.error) && (
        <Loading label={loading} className="flex flex-col gap-4">
          <Skeletons count={5} className="h-9" />
        </Loading>
      )}
    </FormDialog>
  );
}
