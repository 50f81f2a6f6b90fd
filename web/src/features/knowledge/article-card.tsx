import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { BookOpenText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';
import { DateText } from '../../ui/time.tsx';
import { excerptOf } from './article-excerpt.ts';
import { KnowledgeCard, type KnowledgeCardProps } from './knowledge-card.tsx';
import { Tags } from './tags.tsx';

const TAGS_SHOWN = 3;

export function ArticleCard({
  article,
  ...actions
}: { article: Article } & Pick<
  KnowledgeCardProps,
  'onView' | 'onHistory' | 'onEdit' | 'onDelete'
>) {
  const { t } = useTranslation('knowledge');
  return (
    <KnowledgeCard
      title={article.title}
      category={article.category}
      words={{
        view: t('menu.view'),
        edit: t('menu.edit'),
        history: t('menu.history'),
        delete: t('menu.delete'),
      }}
      viewIcon={BookOpenText}
      {...actions}
    >
      <p className="flex-1 break-words text-muted">{excerptOf(article)}</p>
      <div className="flex flex-wrap gap-1">
        <Tags tags={article.tags} max={TAGS_SHOWN} />
        {article.isPublic && <Badge tone="accent">{t('public')}</Badge>}
      </div>
      <p className="border-t border-line pt-3 text-xs text-muted">
        {t('version', { version: article.version })} · <DateText at={article.createdAt} />
      </p>
    </KnowledgeCard>
  );
}
