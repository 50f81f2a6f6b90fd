import {
  type Article,
  createArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { BookOpen, FileUp, ListOrdered, Plus, Search } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Query } from '../../app/loaded.tsx';
import { Page } from '../../app/page.tsx';
import { ResourceGrid } from '../../app/resource-list.tsx';
import { useAddress, useSearchParam } from '../../app/use-address.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { IconInput } from '../../ui/field.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { DeleteVersioned, Deletions, type View } from '../audit/versioned-dialogs.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { PlaybookCard, PlaybookDialog } from '../playbooks/playbook-card.tsx';
import {
  EditPlaybookDialog,
  PlaybookFields,
  usePlaybookForm,
} from '../playbooks/playbook-form.tsx';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { ArticleFields, EditArticleDialog, useArticleForm } from './article-form.tsx';
import { matchingArticles } from './articles.ts';
import { ImportDialog } from './import-dialog.tsx';
import { useListArticlesQuery } from './knowledge.api.ts';
import { ArticleCard, ArticleDialog, type ShelfActions } from './shelf-card.tsx';

const kinds = { article: 'knowledge', playbook: 'playbooks' } as const;

/** What is open over the shelves, except what is read. */
type Overlay =
  | { kind: 'create'; shelf: Shelf }
  | { kind: 'import' }
  | { kind: 'edit' | 'delete'; shelf: Shelf; id: string; name: string };

/** Two shelves, articles and playbooks; `?q=` searches both. */
export function KnowledgePage() {
  const { t } = useTranslation('knowledge');
  const { role } = useCurrentUser();
  const [query, setQuery] = useSearchParam('q');
  const [overlay, setOverlay] = useState<Overlay>();
  const address = useKnowledgeAddress();
  const open = mayCall(role, createArticle) ? setOverlay : undefined;
  return (
    <Page
      title={t('title')}
      description={t('description')}
      action={open && <Creators shelf={address.shelf} open={open} />}
    >
      <Shelves address={address} query={query} setQuery={setQuery} open={open} />
      {open && (
        <Deletions
          kind={kinds[address.shelf]}
          showHistory={(id) => address.show(address.shelf, id, 'history')}
        />
      )}
      <ReadItem address={address} open={open} />
      {overlay && <OpenDialog overlay={overlay} setOverlay={setOverlay} address={address} />}
    </Page>
  );
}

/** The primary action creates an item of the shelf in view. */
function Creators({ shelf, open }: { shelf: Shelf; open: (overlay: Overlay) => void }) {
  const { t } = useTranslation(['knowledge', 'playbooks']);
  const variant = (mode: Shelf) => (mode === shelf ? 'primary' : 'secondary');
  return (
    <>
      <Button icon={FileUp} onClick={() => open({ kind: 'import' })}>
        {t('import.action')}
      </Button>
      <Button
        icon={Plus}
        variant={variant('playbook')}
        onClick={() => open({ kind: 'create', shelf: 'playbook' })}
      >
        {t('playbooks:create')}
      </Button>
      <Button
        icon={Plus}
        variant={variant('article')}
        onClick={() => open({ kind: 'create', shelf: 'article' })}
      >
        {t('add')}
      </Button>
    </>
  );
}

type ShelfProps = {
  address: KnowledgeAddress;
  query: string;
  /** Absent for those who may only read. */
  open?: (overlay: Overlay) => void;
};

function Shelves(props: ShelfProps & { setQuery: (query: string) => void }) {
  const { t } = useTranslation(['knowledge', 'playbooks']);
  const { address, query, setQuery } = props;
  const { data: articles } = useListArticlesQuery();
  const { data: playbooks } = useListPlaybooksQuery();
  const shown = address.shelf === 'article' ? articles : playbooks;
  return (
    <Tabs
      value={address.shelf}
      onChange={address.setShelf}
      label={t('tabs')}
      tabs={[
        {
          value: 'article',
          label: articles ? t('articles', { count: articles.length }) : t('articlesTab'),
        },
        {
          value: 'playbook',
          label: playbooks
            ? t('playbooks:counted', { count: playbooks.length })
            : t('playbooks:playbooks'),
        },
      ]}
    >
      {(shown === undefined || shown.length > 0 || query !== '') && (
        <IconInput
          icon={Search}
          type="search"
          className="mt-4 w-full sm:w-80"
          aria-label={t('search')}
          placeholder={t('search')}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      <TabPanel value="article">
        <Articles {...props} />
      </TabPanel>
      <TabPanel value="playbook">
        <Playbooks {...props} />
      </TabPanel>
    </Tabs>
  );
}

type Item = { id: string; title: string; tags: readonly string[] };

function ItemGrid<T extends Item>({
  kind,
  list,
  query,
  icon,
  address,
  open,
  children,
}: ShelfProps & {
  kind: Shelf;
  list: Query<readonly T[]>;
  icon: typeof BookOpen;
  children: (item: T, actions: ShelfActions) => ReactNode;
}) {
  const { t } = useTranslation(kinds[kind]);
  const actionsOf = ({ id, title: name }: T): ShelfActions => ({
    onView: () => address.show(kind, id),
    onHistory: () => address.show(kind, id, 'history'),
    onEdit: open && (() => open({ kind: 'edit', shelf: kind, id, name })),
    onDelete: open && (() => open({ kind: 'delete', shelf: kind, id, name })),
  });
  return (
    <ResourceGrid
      query={list}
      loading={t('loading')}
      skeleton="h-40 rounded-lg"
      empty={{
        icon,
        title: t('empty.title'),
        description: open ? t('empty.description') : t('empty.forOthers'),
      }}
      search={{
        find: (items) => matchingArticles(items as readonly T[], query),
        none: { title: t('noMatch.title'), description: t('noMatch.description') },
      }}
    >
      {(item) => children(item, actionsOf(item))}
    </ResourceGrid>
  );
}

function Articles(props: ShelfProps) {
  return (
    <ItemGrid<Article> {...props} kind="article" list={useListArticlesQuery()} icon={BookOpen}>
      {(article, actions) => <ArticleCard article={article} actions={actions} />}
    </ItemGrid>
  );
}

function Playbooks(props: ShelfProps) {
  return (
    <ItemGrid<Playbook>
      {...props}
      kind="playbook"
      list={useListPlaybooksQuery()}
      icon={ListOrdered}
    >
      {(playbook, actions) => <PlaybookCard playbook={playbook} actions={actions} />}
    </ItemGrid>
  );
}

/** The article or playbook that the address names. */
function ReadItem({ address, open }: Pick<ShelfProps, 'address' | 'open'>) {
  const { openArticle, openPlaybook, view, setView, close } = address;
  const id = openArticle ?? openPlaybook;
  if (!id) return null;
  const shelf = openArticle ? 'article' : 'playbook';
  const edit = () => {
    close();
    open?.({ kind: 'edit', shelf, id, name: '' });
  };
  const Dialog = openArticle ? ArticleDialog : PlaybookDialog;
  return <Dialog id={id} view={view} setView={setView} onEdit={open && edit} close={close} />;
}

function OpenDialog({
  overlay,
  setOverlay,
  address,
}: {
  overlay: Overlay;
  setOverlay: (overlay?: Overlay) => void;
  address: KnowledgeAddress;
}) {
  const close = () => setOverlay(undefined);
  if (overlay.kind === 'create') {
    const setShelf = (shelf: Shelf) => setOverlay({ kind: 'create', shelf });
    return <CreateDialog mode={overlay.shelf} setMode={setShelf} close={close} />;
  }
  if (overlay.kind === 'import') {
    const show = (id: string) => {
      close();
      address.show('article', id);
    };
    return <ImportDialog close={close} show={show} />;
  }
  const { kind, shelf, id, name } = overlay;
  if (kind === 'delete') {
    return <DeleteVersioned kind={kinds[shelf]} id={id} name={name} close={close} />;
  }
  const EditDialog = shelf === 'article' ? EditArticleDialog : EditPlaybookDialog;
  return <EditDialog id={id} close={close} />;
}

/** Creates an article or a playbook; what was typed for one stays while the other is looked at. */
function CreateDialog({
  mode,
  setMode,
  close,
}: {
  mode: Shelf;
  setMode: (mode: Shelf) => void;
  close: () => void;
}) {
  const { t } = useTranslation(['knowledge', 'playbooks']);
  const article = useArticleForm(undefined, close);
  const playbook = usePlaybookForm(undefined, close);
  const isArticle = mode === 'article';
  const { submitting } = isArticle ? article.editor : playbook.editor;
  return (
    <FormDialog
      title={isArticle ? t('form.title') : t('playbooks:form.createTitle')}
      description={isArticle ? t('form.description') : t('playbooks:form.createDescription')}
      {...submitting}
      dirty={article.editor.submitting.dirty || playbook.editor.submitting.dirty}
      submitLabel={isArticle ? t('form.submit') : t('playbooks:form.submitCreate')}
      pendingLabel={t('form.saving')}
      close={close}
    >
      <Tabs
        value={mode}
        onChange={setMode}
        label={t('form.mode')}
        tabs={[
          { value: 'article', label: t('form.article') },
          { value: 'playbook', label: t('form.playbook') },
        ]}
      >
        <TabPanel value="article" className="flex flex-col gap-4">
          <ArticleFields form={article.form} />
        </TabPanel>
        <TabPanel value="playbook" className="flex flex-col gap-4">
          <PlaybookFields form={playbook.form} />
        </TabPanel>
      </Tabs>
    </FormDialog>
  );
}

type Shelf = 'article' | 'playbook';

type KnowledgeAddress = {
  shelf: Shelf;
  view: View;
  openArticle: string | null;
  openPlaybook: string | null;
  setShelf: (next: Shelf) => void;
  setView: (next: View) => void;
  show: (what: Shelf, id: string, next?: View) => void;
  close: () => void;
};

/**
 * What the address says: `?tab=playbooks` chooses the shelf, `?article=ID` or `?playbook=ID` opens
 * one, `&view=history` at its history.
 */
function useKnowledgeAddress(): KnowledgeAddress {
  const { search, change } = useAddress();
  const shelf: Shelf = search.get('tab') === 'playbooks' ? 'playbook' : 'article';
  const view: View = search.get('view') === 'history' ? 'history' : 'text';
  const viewed = (next: View) => (next === 'history' ? next : undefined);
  return {
    shelf,
    view,
    openArticle: search.get('article'),
    openPlaybook: search.get('playbook'),
    setShelf: (next: Shelf) =>
      change({ tab: next === 'playbook' ? 'playbooks' : undefined }, 'typed'),
    setView: (next: View) => change({ view: viewed(next) }, 'typed'),
    show: (what: Shelf, id: string, next: View = 'text') =>
      change({ [what]: id, view: viewed(next) }, 'chosen'),
    close: () => change({ article: undefined, playbook: undefined, view: undefined }, 'chosen'),
  };
}
