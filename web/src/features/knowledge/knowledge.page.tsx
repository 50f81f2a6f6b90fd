import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { BookOpen, FileUp, ListOrdered, Plus, Search } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParam } from '../../app/use-search-param.ts';
import { useTitle } from '../../app/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { IconInput } from '../../ui/input.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { Deletions } from '../audit/deletions.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { PlaybookCard } from '../playbooks/playbook-card.tsx';
import { PlaybookDialog } from '../playbooks/playbook-dialog.tsx';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { ArticleCard } from './article-card.tsx';
import { ArticleDialog } from './article-dialog.tsx';
import { useListArticlesQuery } from './knowledge.api.ts';
import { KnowledgeGrid } from './knowledge-grid.tsx';
import { KnowledgeOverlay, type Overlay } from './knowledge-overlay.tsx';
import { type Shelf, useKnowledgeAddress } from './use-knowledge-address.ts';

type Address = ReturnType<typeof useKnowledgeAddress>;

/** Two shelves, articles and playbooks; `?q=` searches both. */
export function KnowledgePage() {
  const { t } = useTranslation('knowledge');
  const { role } = useCurrentUser();
  const [query, setQuery] = useSearchParam('q');
  const [overlay, setOverlay] = useState<Overlay>();
  const address = useKnowledgeAddress();
  useTitle(t('title'));
  const mayKeep = mayCall(role, createArticle);
  const open = mayKeep ? setOverlay : undefined;
  return (
    <Page>
      <PageHeader
        title={t('title')}
        description={t('description')}
        action={open && <Creators shelf={address.shelf} open={open} />}
      />
      <Shelves address={address} query={query} setQuery={setQuery} open={open} />
      {open && (
        <Deletions
          kind={address.shelf === 'article' ? 'knowledge' : 'playbooks'}
          showHistory={(id) => address.show(address.shelf, id, 'history')}
        />
      )}
      <Reading address={address} open={open} />
      <KnowledgeOverlay
        overlay={overlay}
        setOverlay={setOverlay}
        showArticle={(id) => address.show('article', id)}
      />
    </Page>
  );
}

/** The one of the shelf that is looked at is the main one. */
function Creators({ shelf, open }: { shelf: Shelf; open: (overlay: Overlay) => void }) {
  const { t } = useTranslation(['knowledge', 'playbooks']);
  const variant = (mode: Shelf) => (mode === shelf ? 'primary' : 'secondary');
  return (
    <>
      <Button onClick={() => open({ kind: 'import' })}>
        <FileUp aria-hidden />
        {t('import.action')}
      </Button>
      <Button
        variant={variant('playbook')}
        onClick={() => open({ kind: 'create', mode: 'playbook' })}
      >
        <Plus aria-hidden />
        {t('playbooks:create')}
      </Button>
      <Button
        variant={variant('article')}
        onClick={() => open({ kind: 'create', mode: 'article' })}
      >
        <Plus aria-hidden />
        {t('add')}
      </Button>
    </>
  );
}

type ShelfProps = {
  address: Address;
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

function Articles({ address, query, open }: ShelfProps) {
  const { t } = useTranslation('knowledge');
  const list = useListArticlesQuery();
  return (
    <KnowledgeGrid
      list={list}
      query={query}
      loading={t('loading')}
      empty={{
        icon: BookOpen,
        title: t('empty.title'),
        description: open ? t('empty.description') : t('empty.forOthers'),
      }}
      noMatch={{ title: t('noMatch.title'), description: t('noMatch.description') }}
    >
      {(article) => (
        <ArticleCard
          article={article}
          onView={() => address.show('article', article.id)}
          onHistory={() => address.show('article', article.id, 'history')}
          onEdit={open && (() => open({ kind: 'edit-article', id: article.id }))}
          onDelete={open && (() => open({ kind: 'delete-article', article }))}
        />
      )}
    </KnowledgeGrid>
  );
}

function Playbooks({ address, query, open }: ShelfProps) {
  const { t } = useTranslation('playbooks');
  const list = useListPlaybooksQuery();
  return (
    <KnowledgeGrid
      list={list}
      query={query}
      loading={t('loading')}
      empty={{
        icon: ListOrdered,
        title: t('empty.title'),
        description: open ? t('empty.description') : t('empty.forOthers'),
      }}
      noMatch={{ title: t('noMatch.title'), description: t('noMatch.description') }}
    >
      {(playbook) => (
        <PlaybookCard
          playbook={playbook}
          onView={() => address.show('playbook', playbook.id)}
          onHistory={() => address.show('playbook', playbook.id, 'history')}
          onEdit={open && (() => open({ kind: 'edit-playbook', id: playbook.id }))}
          onDelete={open && (() => open({ kind: 'delete-playbook', playbook }))}
        />
      )}
    </KnowledgeGrid>
  );
}

/** The article or playbook that the address names. */
function Reading({ address, open }: Pick<ShelfProps, 'address' | 'open'>) {
  const { openArticle, openPlaybook, view, setView, close } = address;
  const edit = (overlay: Overlay) =>
    open &&
    (() => {
      close();
      open(overlay);
    });
  if (openArticle) {
    const onEdit = edit({ kind: 'edit-article', id: openArticle });
    return (
      <ArticleDialog id={openArticle} view={view} setView={setView} onEdit={onEdit} close={close} />
    );
  }
  if (openPlaybook) {
    const onEdit = edit({ kind: 'edit-playbook', id: openPlaybook });
    return (
      <PlaybookDialog
        id={openPlaybook}
        view={view}
        setView={setView}
        onEdit={onEdit}
        close={close}
      />
    );
  }
  return null;
}
