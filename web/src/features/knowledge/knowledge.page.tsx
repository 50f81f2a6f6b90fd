import { KNOWLEDGE_KEEPERS } from '@tallyhand/contracts/features/identity/role';
import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { BookOpen, Plus, Search } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { LoadFailed } from '../../app/load-failed.tsx';
import { useSearchParam } from '../../app/use-search-param.ts';
import { useTitle } from '../../app/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { IconInput } from '../../ui/input.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { ArticleCard } from './article-card.tsx';
import { ArticleDialog } from './article-dialog.tsx';
import { CreateArticleDialog } from './create-article-dialog.tsx';
import { DeleteArticleDialog } from './delete-article-dialog.tsx';
import { useListArticlesQuery } from './knowledge.api.ts';
import { matchingArticles } from './matching-articles.ts';

/** `?q=` searches, `?article=ID` opens one. */
export function KnowledgePage() {
  const { t } = useTranslation('knowledge');
  const { role } = useCurrentUser();
  const { data: articles } = useListArticlesQuery();
  const [query, setQuery] = useSearchParam('q');
  const [search, setSearch] = useSearchParams();
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Article>();
  useTitle(t('title'));
  const mayKeep = KNOWLEDGE_KEEPERS.includes(role);
  const openId = search.get('article');
  const show = (id: string | undefined) => {
    const params = new URLSearchParams(search);
    if (id) params.set('article', id);
    else params.delete('article');
    setSearch(params);
  };
  return (
    <Page>
      <PageHeader
        title={t('title')}
        description={t('description')}
        action={
          mayKeep && (
            <Button variant="primary" onClick={() => setCreating(true)}>
              <Plus aria-hidden />
              {t('add')}
            </Button>
          )
        }
      />
      {articles && articles.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 className="text-base font-semibold">{t('articles', { count: articles.length })}</h2>
          <IconInput
            icon={Search}
            type="search"
            className="w-full sm:w-80"
            aria-label={t('search')}
            placeholder={t('search')}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </div>
      )}
      <ArticleGrid query={query} mayKeep={mayKeep} show={show} remove={setDeleting} />
      {openId && <ArticleDialog id={openId} close={() => show(undefined)} />}
      {creating && <CreateArticleDialog close={() => setCreating(false)} />}
      {deleting && <DeleteArticleDialog article={deleting} close={() => setDeleting(undefined)} />}
    </Page>
  );
}

function ArticleGrid({
  query,
  mayKeep,
  show,
  remove,
}: {
  query: string;
  mayKeep: boolean;
  show: (id: string) => void;
  remove: (article: Article) => void;
}) {
  const { t } = useTranslation('knowledge');
  const { data: articles, error, refetch } = useListArticlesQuery();
  const grid = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3';
  if (!articles && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!articles) {
    return (
      <Loading label={t('loading')} className={grid}>
        <Skeletons count={6} className="h-40 rounded-lg" />
      </Loading>
    );
  }
  if (articles.length === 0) {
    return (
      <EmptyState
        icon={BookOpen}
        title={t('empty.title')}
        description={mayKeep ? t('empty.description') : t('empty.forOthers')}
      />
    );
  }
  const found = matchingArticles(articles, query);
  if (found.length === 0) {
    return (
      <EmptyState icon={Search} title={t('noMatch.title')} description={t('noMatch.description')} />
    );
  }
  return (
    <ul className={grid}>
      {found.map((article) => (
        <li key={article.id} className="min-w-0">
          <ArticleCard
            article={article}
            onView={() => show(article.id)}
            onDelete={mayKeep ? () => remove(article) : undefined}
          />
        </li>
      ))}
    </ul>
  );
}
