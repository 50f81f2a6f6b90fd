import { type Access, mayCall } from '@tallyhand/contracts/kernel/access';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { VersionedKind } from '../features/audit/audit.api.ts';
import { DeleteVersioned, Deletions, HistoryDialog } from '../features/audit/versioned-dialogs.tsx';
import { useCurrentUser } from '../features/identity/identity.api.ts';
import { Button } from '../ui/button.tsx';
import type { Query } from './loaded.tsx';
import { Page } from './page.tsx';
import { useSearchParam } from './use-address.ts';

type Versioned = { id: string; name: string; version: number };

/** What a card of the page can do with its item. */
export type ResourceActions<Item, Dialog extends string> = {
  /** Whether the user may create, change and delete. */
  mayChange: boolean;
  open: (dialog: Dialog | 'edit' | 'delete', item: Item) => void;
  showHistory: (id: string) => void;
};

type ResourcePageProps<Item, Dialog extends string> = {
  kind: VersionedKind;
  query: Query<readonly Item[]>;
  /** The call that creates one; who may make it may change them. */
  create: Pick<Access, 'roles'>;
  title: string;
  description: string;
  createLabel: string;
  /** Stands above the list. */
  intro?: ReactNode;
  list: (actions: ResourceActions<Item, Dialog>) => ReactNode;
  /** Creates an item, or edits the given one. */
  form: (item: Item | undefined, close: () => void) => ReactNode;
  /** Further dialogs of an item. */
  dialogs: Record<Dialog, (item: Item, close: () => void) => ReactNode>;
  /** The heading of the history of an item, or of one that was deleted. */
  history: (item: Item | undefined) => { title: string; description?: string };
};

/**
 * A page that lists versioned objects: create, edit, delete with undo, and their history.
 * `?history=ID` opens the history of one, also of a deleted one.
 */
export function ResourcePage<Item extends Versioned, Dialog extends string>(
  props: ResourcePageProps<Item, Dialog>,
) {
  const { kind, query, create, title, description, createLabel, intro, list, history } = props;
  const { role } = useCurrentUser();
  const [isCreating, setCreating] = useState(false);
  const [opened, setOpened] = useState<{ dialog: Dialog | 'edit' | 'delete'; item: Item }>();
  const [historyId, showHistory] = useSearchParam('history');
  const mayChange = mayCall(role, create);
  const close = () => setOpened(undefined);
  const shown = query.data?.find(({ id }) => id === historyId);
  const show = ({ dialog, item }: NonNullable<typeof opened>) => {
    if (dialog === 'edit') return props.form(item, close);
    if (dialog === 'delete')
      return <DeleteVersioned kind={kind} id={item.id} name={item.name} close={close} />;
    return props.dialogs[dialog](item, close);
  };
  return (
    <Page
      title={title}
      description={description}
      action={
        mayChange && (
          <Button icon={Plus} variant="primary" onClick={() => setCreating(true)}>
            {createLabel}
          </Button>
        )
      }
    >
      {intro}
      {list({ mayChange, showHistory, open: (dialog, item) => setOpened({ dialog, item }) })}
      {mayChange && <Deletions kind={kind} showHistory={showHistory} />}
      {isCreating && props.form(undefined, () => setCreating(false))}
      {opened && show(opened)}
      {historyId && (
        <HistoryDialog
          {...history(shown)}
          kind={kind}
          id={historyId}
          canRestore={mayChange}
          currentVersion={shown?.version}
          close={() => showHistory('')}
        />
      )}
    </Page>
  );
}
