import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { BookOpenText, EllipsisVertical, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';
import { DropdownMenu, MenuItem } from '../../ui/dropdown-menu.tsx';
import { HeaderButton } from '../../ui/header-button.tsx';
import { DateText } from '../../ui/time.tsx';

const TAGS_SHOWN = 3;
const EXCERPT_LENGTH = 100;
/** Of an article that may be long, as much as surely holds the excerpt. */
const LOOKED_AT = 1_000;

/** The beginning of an article as one line, without the marks of headings. */
function excerpt(content: string): string {
  const beginning = content.slice(0, LOOKED_AT);
  const line = beginning
    .replace(/^#+\s+/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  if (characters.length <= EXCERPT_LENGTH) return line;
  return `${characters.slice(0, EXCERPT_LENGTH).join('').trimEnd()}…`;
}

export function ArticleCard({
  article,
  onView,
  onDelete,
}: {
  article: Article;
  onView: () => void;
  /** Absent for those who may not. */
  onDelete?: () => void;
}) {
  const { t } = useTranslation('knowledge');
  const { t: common } = useTranslation('common');
  return (
    <article
      aria-label={article.title}
      className="flex h-full flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h3 className="truncate text-base font-semibold" title={article.title}>
            <button
              type="button"
              onClick={onView}
              className="max-w-full truncate rounded-sm text-left underline-offset-4 hover:underline"
            >
              {article.title}
            </button>
          </h3>
          <p className="truncate text-xs text-muted">{article.category}</p>
        </div>
        <DropdownMenu
          trigger={
            <HeaderButton
              aria-label={common('actions.more', { name: article.title })}
              className="-mt-1 -mr-2"
            >
              <EllipsisVertical aria-hidden />
            </HeaderButton>
          }
        >
          <MenuItem icon={BookOpenText} onSelect={onView}>
            {t('menu.view')}
          </MenuItem>
          {onDelete && (
            <MenuItem icon={Trash2} danger onSelect={onDelete}>
              {t('menu.delete')}
            </MenuItem>
          )}
        </DropdownMenu>
      </div>
      <p className="flex-1 break-words text-muted">{excerpt(article.content)}</p>
      <div className="flex flex-wrap gap-1">
        {article.tags.slice(0, TAGS_SHOWN).map((tag) => (
          <Badge key={tag}>
            <span className="truncate">{tag}</span>
          </Badge>
        ))}
        {article.isPublic && <Badge tone="accent">{t('public')}</Badge>}
      </div>
      <p className="border-t border-line pt-3 text-xs text-muted">
        {t('version', { version: article.version })} · <DateText at={article.createdAt} />
      </p>
    </article>
  );
}
