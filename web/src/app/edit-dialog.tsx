import type { ReactNode } from 'react';
import { FormDialog, type FormDialogProps } from '../ui/form-dialog.tsx';
import { ChangedSince } from './changed-since.tsx';
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
          error={query.isFetching ? undefined : query.error}
          refetch={query.refetch}
          label={loading}
          count={5}
          skeleton="h-9"
          className="flex flex-col gap-4"
        />
      )}
    </FormDialog>
  );
}
