import type { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { useTranslation } from 'react-i18next';
import { DateText } from '../../ui/time.tsx';
import { type Reading, ReadingDialog } from '../audit/versioned-dialogs.tsx';
import { Tags } from '../knowledge/tags.tsx';
import { PlaybookFigures } from './playbook-card.tsx';
import { useGetPlaybookQuery } from './playbooks.api.ts';

/** One playbook in full. */
export function PlaybookDialog(reading: Reading) {
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
