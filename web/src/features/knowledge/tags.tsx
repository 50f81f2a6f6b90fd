import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';

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
