import type { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { Clock, ListOrdered } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { listFormat, numberFormat } from '../../ui/formats.ts';
import { DateText } from '../../ui/time.tsx';
import { type Reading, ReadingDialog } from '../audit/versioned-dialogs.tsx';
import { type ShelfActions, ShelfCard, Tags } from '../knowledge/shelf-card.tsx';
import { useGetPlaybookQuery } from './playbooks.api.ts';

const TAGS_SHOWN = 3;

export function PlaybookCard({ playbook, actions }: { playbook: Playbook; actions: ShelfActions }) {
  const { t } = useTranslation('playbooks');
  return (
    <ShelfCard
      kind="playbooks"
      item={playbook}
      viewIcon={ListOrdered}
      viewLabel={t('menu.view')}
      actions={actions}
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
    </ShelfCard>
  );
}

/** How many steps it has, and how long they take. */
function PlaybookFigures({ playbook }: { playbook: Playbook }) {
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

const MINUTES_IN_HOUR = 60;

/** Gives minutes in words of the chosen language: "1 hr, 30 min". */
function useDuration() {
  const { i18n } = useTranslation();
  const part = (value: number, unit: 'hour' | 'minute') =>
    numberFormat(i18n.language, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
  return (minutes: number): string => {
    const hours = Math.floor(minutes / MINUTES_IN_HOUR);
    const rest = minutes % MINUTES_IN_HOUR;
    const parts = [
      ...(hours > 0 ? [part(hours, 'hour')] : []),
      ...(rest > 0 || hours === 0 ? [part(rest, 'minute')] : []),
    ];
    return listFormat(i18n.language, { type: 'unit', style: 'short' }).format(parts);
  };
}

/** One playbook in full. */
export function PlaybookDialog(reading: Reading<Playbook>) {
  const query = useGetPlaybookQuery(reading.id);
  return (
    <ReadingDialog {...reading} kind="playbooks" query={query}>
      {(playbook) => <PlaybookText playbook={playbook} />}
    </ReadingDialog>
  );
}

function PlaybookText({ playbook }: { playbook: Playbook }) {
  const { t } = useTranslation('playbooks');
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-1">
        <p className="mr-2 text-xs text-muted">
          {t('version', { version: playbook.version })} · <DateText at={playbook.createdAt} />
        </p>
        <Tags tags={playbook.tags} />
      </div>
      <p className="max-w-[68ch] break-words whitespace-pre-wrap">{playbook.description}</p>
      <PlaybookFigures playbook={playbook} />
      <section>
        <h3 className="font-medium">{t('view.steps')}</h3>
        <ol className="mt-2 flex max-w-[68ch] list-decimal flex-col gap-2 pl-8 marker:tabular marker:text-muted">
          {/* A step may stand twice; they don't move while they are read. */}
          {playbook.steps
            .map((step, index) => [index, step] as const)
            .map(([at, step]) => (
              <li key={at} className="break-words whitespace-pre-wrap pl-1">
                {step}
              </li>
            ))}
        </ol>
      </section>
    </div>
  );
}
