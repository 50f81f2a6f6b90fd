import {
  type Article,
  createArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  createPlaybook,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { BookOpen, FileUp, ListOrdered, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NothingFound, useObjectFilters } from '../../app/list-filters.tsx';
import type { Query } from '../../app/loaded.tsx';
import { laterPart } from '../../app/part.ts';
import { ResourceGrid } from '../../app/resource-list.tsx';
import { type ResourceActions, ResourcePage } from '../../app/resource-page.tsx';
import { useAddress } from '../../app/use-address.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import type { View } from '../audit/versioned-dialogs.tsx';
import { PlaybookCard, PlaybookDialog } from '../playbooks/playbook-card.tsx';
import {
  EditPlaybookDialog,
  PlaybookFields,
  usePlaybookForm,
} from '../playbooks/playbook-form.tsx';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { ArticleFields, EditArticleDialog, useArticleForm } from './article-form.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { useListArticlesQuery } from './knowledge.api.ts';
import { ArticleCard, ArticleDialog, type ShelfActions } from './shelf-card.tsx';
import { articleFilter, type ShelfFilterState, ShelfFilters } from './shelf-filters.tsx';

const ItemBulkBar = laterPart(['bulk', 'problems'], async () => {
  const { AssignableBulkBar } = await import('../agents/assignable-bulk.tsx');
  return AssignableBulkBar<Item>;
});

const kinds = { article: 'knowledge', playbook: 'playbooks' } as const;

type Item = Article | Playbook;

/** Two shelves, articles and playbooks; `?q=` searches both, `?new=` creates one for either. */
export function KnowledgePage() {
  const { t } = useTranslation(['knowledge', 'playbooks']);
  const [importing, setImporting] = useState(false);
  const address = useKnowledgeAddress();
  const { shelf } = address;
  const queries = { article: useListArticlesQuery(), playbook: useListPlaybooksQuery() };
  const labels = { article: t('add'), playbook: t('playbooks:create') };
  const other = shelf === 'article' ? 'playbook' : 'article';
  const closeImport = () => setImporting(false);
  return (
    <ResourcePage<Item, never>
      kind={kinds[shelf]}
      query={queries[shelf]}
      create={createArticle}
      title={t('title')}
      description={t('description')}
      createLabel={labels[shelf]}
      createAs={shelf}
      actions={[
        { label: t('import.action'), icon: FileUp, onSelect: () => setImporting(true) },
        { label: labels[other], icon: Plus, onSelect: () => address.create(other) },
      ]}
      list={(actions) => <Shelves address={address} actions={actions} />}
      outro={
        importing && (
          <ImportDialog
            close={closeImport}
            show={(id) => {
              closeImport();
              address.show('article', id);
            }}
          />
        )
      }
      form={(item, close) => {
        if (!item) return <CreateDialog shelf={address.created ?? shelf} close={close} />;
        const EditDialog = 'steps' in item ? EditPlaybookDialog : EditArticleDialog;
        return <EditDialog id={item.id} close={close} />;
      }}
      dialogs={{}}
      reading={{
        showHistory: (id) => address.show(shelf, id, 'history'),
        dialog: (edit) => <ReadItem address={address} edit={edit} />,
      }}
    />
  );
}

type ShelfProps = {
  address: KnowledgeAddress;
  actions: ResourceActions<Item, never> & { create: () => void };
};

function Shelves(props: ShelfProps) {
  const { t } = useTranslation(['knowledge', 'playbooks']);
  const { address } = props;
  const filters = useObjectFilters(articleFilter);
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
      {(shown === undefined || shown.length > 0) && (
        <div className="mt-4">
          <ShelfFilters {...filters} shelf={address.shelf} items={shown ?? []} />
        </div>
      )}
      <TabPanel value="article">
        <Articles {...props} filters={filters} />
      </TabPanel>
      <TabPanel value="playbook">
        <Playbooks {...props} filters={filters} />
      </TabPanel>
    </Tabs>
  );
}

function ItemGrid<T extends Item>({
  kind,
  list,
  found,
  filters,
  icon,
  address,
  actions: { mayChange, open, showHistory, create },
  children,
}: ShelfProps & {
  kind: Shelf;
  list: Query<readonly T[]>;
  found: Query<readonly T[]>;
  filters: ShelfFilterState;
  icon: typeof BookOpen;
  children: (item: T, actions: ShelfActions) => ReactNode;
}) {
  const { t } = useTranslation(kinds[kind]);
  const { t: ofBoth } = useTranslation(['knowledge', 'playbooks', 'lists']);
  const actionsOf = (item: T): ShelfActions => ({
    onView: () => address.show(kind, item.id),
    onHistory: () => showHistory(item.id),
    onEdit: mayChange ? () => open('edit', item) : undefined,
    onDelete: mayChange ? () => open('delete', item) : undefined,
  });
  return (
    <ResourceGrid
      query={list}
      loading={t('loading')}
      skeleton="h-40 rounded-lg"
      selecting={{
        label: ({ title: name }) => ofBoth('lists:select', { name }),
        bar: (state) => (
          <ItemBulkBar
            {...state}
            kind={kinds[kind]}
            create={kind === 'article' ? createArticle : createPlaybook}
            nameOf={({ title }) => title}
          />
        ),
      }}
      empty={{
        icon,
        title: t('empty.title'),
        description: mayChange ? t('empty.description') : t('empty.forOthers'),
        action: mayChange && (
          <Button icon={Plus} variant="primary" onClick={create}>
            {kind === 'article' ? ofBoth('knowledge:add') : ofBoth('playbooks:create')}
          </Button>
        ),
      }}
      found={{ query: found, none: <NothingFound clear={filters.state.clear} /> }}
    >
      {(item) => children(item, actionsOf(item))}
    </ResourceGrid>
  );
}

type FilteredProps = ShelfProps & { filters: ShelfFilterState };

function Articles(props: FilteredProps) {
  return (
    <ItemGrid<Article>
      {...props}
      kind="article"
      list={useListArticlesQuery()}
      found={useListArticlesQuery(props.filters.asked)}
      icon={BookOpen}
    >
      {(article, actions) => <ArticleCard article={article} actions={actions} />}
    </ItemGrid>
  );
}

/** Playbooks have no visibility: that filter of the other shelf is left out. */
function playbooksAsked(asked: ShelfFilterState['asked']) {
  if (!asked) return undefined;
  const { isPublic, ...rest } = asked;
  return rest;
}

function Playbooks(props: FilteredProps) {
  return (
    <ItemGrid<Playbook>
      {...props}
      kind="playbook"
      list={useListPlaybooksQuery()}
      found={useListPlaybooksQuery(playbooksAsked(props.filters.asked))}
      icon={ListOrdered}
    >
      {(playbook, actions) => <PlaybookCard playbook={playbook} actions={actions} />}
    </ItemGrid>
  );
}

type ReadItemProps = { address: KnowledgeAddress; edit: ((item: Item) => void) | undefined };

/** The article or playbook that the address names. */
function ReadItem({ address, edit }: ReadItemProps) {
  const { openArticle, openPlaybook, view, setView, close } = address;
  const id = openArticle ?? openPlaybook;
  if (!id) return null;
  const onEdit = (item: Item) => {
    close();
    edit?.(item);
  };
  const Dialog = openArticle ? ArticleDialog : PlaybookDialog;
  return <Dialog id={id} view={view} setView={setView} onEdit={edit && onEdit} close={close} />;
}

/** Creates an article or a playbook; what was typed for one stays while the other is looked at. */
function CreateDialog({ shelf, close }: { shelf: Shelf; close: () => void }) {
  const { t } = useTranslation(['knowledge', 'playbooks']);
  const [mode, setMode] = useState(shelf);
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

const SHELVES = ['article', 'playbook'] as const;
type Shelf = (typeof SHELVES)[number];

type KnowledgeAddress = {
  shelf: Shelf;
  view: View;
  openArticle: string | null;
  openPlaybook: string | null;
  /** What is being created. */
  created: Shelf | undefined;
  create: (what: Shelf) => void;
  setShelf: (next: Shelf) => void;
  setView: (next: View) => void;
  show: (what: Shelf, id: string, next?: View) => void;
  close: () => void;
};

/**
 * What the address says: `?tab=playbooks` chooses the shelf, `?article=ID` or `?playbook=ID` opens
 * one, `&view=history` at its history; `?new=article` or `?new=playbook` creates one.
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
    created: SHELVES.find((each) => each === search.get('new')),
    create: (what: Shelf) => change({ new: what }, 'typed'),
    setShelf: (next: Shelf) =>
      change({ tab: next === 'playbook' ? 'playbooks' : undefined }, 'typed'),
    setView: (next: View) => change({ view: viewed(next) }, 'typed'),
    show: (what: Shelf, id: string, next: View = 'text') =>
      change({ [what]: id, view: viewed(next) }, 'chosen'),
    close: () => change({ article: undefined, playbook: undefined, view: undefined }, 'chosen'),
  };
}
