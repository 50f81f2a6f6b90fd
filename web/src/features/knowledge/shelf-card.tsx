import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { BookOpenText, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourceCard } from '../../app/resource-list.tsx';
import { Badge } from '../../ui/badge.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { DateText } from '../../ui/time.tsx';
import { type Reading, ReadingDialog, VersionedItems } from '../audit/versioned-dialogs.tsx';
import { excerptOf, withoutTitle } from './articles.ts';
import { useGetArticleQuery } from './knowledge.api.ts';

/** What a card can do with its article or playbook. */
export type ShelfActions = {
  onView: () => void;
  onHistory: () => void;
  /** Absent for those who may not. */
  onEdit?: () => void;
  onDelete?: () => void;
};

/** An article or a playbook in its grid. */
export function ShelfCard({
  kind,
  item: { title, category },
  viewIcon,
  viewLabel,
  actions: { onView, ...versioned },
  children,
}: {
  kind: 'knowledge' | 'playbooks';
  item: { title: string; category: string };
  viewIcon: LucideIcon;
  viewLabel: string;
  actions: ShelfActions;
  children: ReactNode;
}) {
  const menu = (
    <>
      <MenuItem icon={viewIcon} onSelect={onView}>
        {viewLabel}
      </MenuItem>
      <VersionedItems kind={kind} {...versioned} />
    </>
  );
  return (
    <ResourceCard
      name={title}
      subtitle={<p className="truncate text-xs text-muted">{category}</p>}
      open={onView}
      menu={menu}
    >
      {children}
    </ResourceCard>
  );
}

/** Tags, all of them or the first few with the number of the others. */
export function Tags({ tags, max = tags.length }: { tags: readonly string[]; max?: number }) {
  const { t } = useTranslation('common');
  const more = tags.length - max;
  return (
    <>
      {tags.slice(0, max).map((tag) => (
        <Badge key={tag}>
          <span className="truncate">{tag}</span>
        </Badge>
      ))}
      {more > 0 && <Badge>{t('moreTags', { count: more })}</Badge>}
    </>
  );
}

const TAGS_SHOWN = 3;

export function ArticleCard({ article, actions }: { article: Article; actions: ShelfActions }) {
  const { t } = useTranslation('knowledge');
  return (
    <ShelfCard
      kind="knowledge"
      item={article}
      viewIcon={BookOpenText}
      viewLabel={t('menu.view')}
      actions={actions}
    >
      <p className="flex-1 break-words text-muted">{excerptOf(article)}</p>
      <div className="flex flex-wrap gap-1">
        <Tags tags={article.tags} max={TAGS_SHOWN} />
        {article.isPublic && <Badge tone="accent">{t('public')}</Badge>}
      </div>
      <p className="border-t border-line pt-3 text-xs text-muted">
        {t('version', { version: article.version })} · <DateText at={article.createdAt} />
      </p>
    </ShelfCard>
  );
}

/** One article in full. */
export function ArticleDialog(reading: Reading<Article>) {
  const query = useGetArticleQuery(reading.id);
  return (
    <ReadingDialog
      {...reading}
      kind="knowledge"
      query={query}
      renderContent={(content) => <Markdown text={content} />}
    >
      {(article) => <ArticleText article={article} />}
    </ReadingDialog>
  );
}

function ArticleText({ article }: { article: Article }) {
  const { t } = useTranslation('knowledge');
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-1">
        <p className="mr-2 text-xs text-muted">
          {t('version', { version: article.version })} · <DateText at={article.createdAt} />
        </p>
        <Tags tags={article.tags} />
        {article.isPublic && <Badge tone="accent">{t('public')}</Badge>}
      </div>
      <Markdown text={withoutTitle(article)} />
    </>
  );
}
