import type { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { Clock, ListOrdered } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { DateText } from '../../ui/time.tsx';
import { KnowledgeCard, type KnowledgeCardProps } from '../knowledge/knowledge-card.tsx';
import { Tags } from '../knowledge/tags.tsx';
import { useDuration } from './use-duration.ts';

const TAGS_SHOWN = 3;

export function PlaybookCard({
  playbook,
  ...actions
}: { playbook: Playbook } & Pick<
  KnowledgeCardProps,
  'onView' | 'onHistory' | 'onEdit' | 'onDelete'
>) {
  const { t } = useTranslation('playbooks');
  return (
    <KnowledgeCard
      title={playbook.title}
      category={playbook.category}
      words={{
        view: t('menu.view'),
        edit: t('menu.edit'),
        history: t('menu.history'),
        delete: t('menu.delete'),
      }}
      viewIcon={ListOrdered}
      {...actions}
    >
      <p className="line-clamp-2 break-words text-muted" title={playbook.description}>
        {playbook.description}
      </p>
      <PlaybookFigures playbook={playbook} />
      {playbook.tags.length > 0 && (
        <div className="flex flex-wrap gap-1">
          <Tags tags={playbook.tags} max={TAGS_SHOWN} />
        </div>
      )}
      <p className="mt-auto border-t border-line pt-3 text-xs text-muted">
        {t('version', { version: playbook.version })} · <DateText at={playbook.createdAt} />
      </p>
    </KnowledgeCard>
  );
}

/** How many steps it has, and how long they take. */
export function PlaybookFigures({ playbook }: { playbook: Playbook }) {
  const { t } = useTranslation('playbooks');
  const duration = useDuration();
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-muted [&_svg]:size-4 [&_svg]:shrink-0">
      <span className="inline-flex items-center gap-1.5">
        <ListOrdered aria-hidden />
        {t('steps', { count: playbook.steps.length })}
      </span>
      <span className="inline-flex items-center gap-1.5">
        <Clock aria-hidden />
        {duration(playbook.estimatedDuration)}
      </span>
    </p>
  );
}
