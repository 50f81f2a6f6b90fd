import { type Access, mayCall } from '@tallyhand/contracts/kernel/access';
import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { VersionedKind } from '../features/audit/audit.api.ts';
import {
  DeleteVersioned,
  DeletionsDialog,
  HistoryDialog,
} from '../features/audit/versioned-dialogs.tsx';
import { useCurrentUser } from '../features/identity/identity.api.ts';
import { Button } from '../ui/button.tsx';
import { MenuItem } from '../ui/dropdown-menu.tsx';
import { fillingOf } from './filling.ts';
import type { Query } from './loaded.tsx';
import { Page } from './page.tsx';
import { type PageAction, PageActions } from './page-actions.tsx';
import { useSearchParam } from './use-address.ts';

type Versioned = { id: string; version: number } & ({ name: string } | { title: string });

const nameOf = (item: Versioned) => ('name' in item ? item.name : item.title);

/** What a card of the page can do with its item. */
export type ResourceActions<Item, Dialog extends string> = {
  /** Whether the user may create, change and delete. */
  mayChange: boolean;
  open: (dialog: Dialog | 'edit' | 'delete', item: Item) => void;
  showHistory: (id: string) => void;
};

/** Shows the history of an item, or of one that was deleted. */
type HistoryProps<Item> =
  | {
      /** The heading of the dialog that `?history=ID` opens. */
      history: (item: Item | undefined) => { title: string; description?: string };
      reading?: never;
    }
  | {
      history?: never;
      /** A dialog that shows an item with its history; the page keeps which in the address. */
      reading: {
        showHistory: (id: string) => void;
        /** `edit` is absent for those who may not. */
        dialog: (edit: ((item: Item) => void) | undefined) => ReactNode;
      };
    };

type ResourcePageProps<Item, Dialog extends string> = HistoryProps<Item> & {
  kind: VersionedKind;
  query: Query<readonly Item[]>;
  /** The call that creates one; who may make it may change them. */
  create: Pick<Access, 'roles'>;
  title: string;
  description: string;
  createLabel: string;
  /** What `?new=` says when the item to create is of the page's `kind`. */
  createAs?: string;
  /** Further actions in the header, for those who may change items. */
  actions?: readonly PageAction[];
  /** Above everything else. */
  banner?: (actions: ResourceActions<Item, Dialog>) => ReactNode;
  /** Above the list. */
  intro?: ReactNode;
  /** Below the list. */
  outro?: ReactNode;
  /** `create` opens the form of a new item. */
  list: (actions: ResourceActions<Item, Dialog> & { create: () => void }) => ReactNode;
  /** Creates an item, or edits the given one. */
  form: (item: Item | undefined, close: () => void) => ReactNode;
  /** Creates an item, in place of `form`: `shown` is what `?new=` says, and `show` changes it. */
  formOfNew?: (close: () => void, shown: string, show: (shown: string) => void) => ReactNode;
  /** Further dialogs of an item. */
  dialogs: Record<Dialog, (item: Item, close: () => void) => ReactNode>;
};

/**
 * A page that lists versioned objects: create, edit, delete with undo, and their history.
 * `?new=...` creates one, `?history=ID` opens the history of one, also of a deleted one. Where items
 * are read in a dialog, `reading` has their history.
 */
export function ResourcePage<Item extends Versioned, Dialog extends string>(
  props: ResourcePageProps<Item, Dialog>,
) {
  const { kind, query, create, title, description, createLabel, createAs = 'yes' } = props;
  const { intro, outro, list, history, reading } = props;
  const { role } = useCurrentUser();
  const { t } = useTranslation('audit');
  const [creating, setCreating] = useSearchParam('new');
  const [showsDeleted, setShowsDeleted] = useState(false);
  const [opened, setOpened] = useState<{ dialog: Dialog | 'edit' | 'delete'; item: Item }>();
  const [historyId, setHistoryId] = useSearchParam('history');
  const showHistory = reading?.showHistory ?? setHistoryId;
  const mayChange = mayCall(role, create);
  const close = () => setOpened(undefined);
  const closeNew = () => setCreating('');
  const actions: ResourceActions<Item, Dialog> = {
    mayChange,
    showHistory,
    open: (dialog, item) => setOpened({ dialog, item }),
  };
  const shown = query.data?.find(({ id }) => id === historyId);
  const show = ({ dialog, item }: NonNullable<typeof opened>) => {
    if (dialog === 'edit') return props.form(item, close);
    if (dialog === 'delete')
      return <DeleteVersioned kind={kind} id={item.id} name={nameOf(item)} close={close} />;
    return props.dialogs[dialog](item, close);
  };
  return (
    <Page
      title={title}
      description={description}
      action={
        mayChange && (
          <PageActions actions={props.actions}>
            <MenuItem icon={Trash2} onSelect={() => setShowsDeleted(true)}>
              {t(`deletions.titles.${kind}`)}
            </MenuItem>
          </PageActions>
        )
      }
      primary={
        mayChange && (
          <Button icon={Plus} variant="primary" onClick={() => setCreating(createAs)}>
            {createLabel}
          </Button>
        )
      }
      filling={fillingOf(query.data, query.error)}
    >
      {props.banner?.(actions)}
      {intro}
      {list({ ...actions, create: () => setCreating(createAs) })}
      {outro}
      {showsDeleted && (
        <DeletionsDialog
          kind={kind}
          showHistory={showHistory}
          close={() => setShowsDeleted(false)}
        />
      )}
      {mayChange &&
        creating !== '' &&
        (props.formOfNew?.(closeNew, creating, setCreating) ?? props.form(undefined, closeNew))}
      {opened && show(opened)}
      {reading?.dialog(mayChange ? (item) => actions.open('edit', item) : undefined)}
      {history && historyId && (
        <HistoryDialog
          {...history(shown)}
          kind={kind}
          id={historyId}
          canRestore={mayChange}
          currentVersion={shown?.version}
          close={() => setHistoryId('')}
        />
      )}
    </Page>
  );
}
