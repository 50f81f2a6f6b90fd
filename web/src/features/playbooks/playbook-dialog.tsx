import type { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { useTranslation } from 'react-i18next';
import { DateText } from '../../ui/time.tsx';
import { ObjectHistory } from '../audit/object-history.tsx';
import { ReadingDialog, type ReadingDialogProps } from '../knowledge/reading-dialog.tsx';
import { Tags } from '../knowledge/tags.tsx';
import { PlaybookFigures } from './playbook-card.tsx';
import { useGetPlaybookQuery } from './playbooks.api.ts';

/** One playbook, whole. */
export function PlaybookDialog({
  id,
  ...shown
}: { id: string } & Pick<ReadingDialogProps, 'view' | 'setView' | 'onEdit' | 'close'>) {
  const { t } = useTranslation('playbooks');
  const { currentData: playbook, error, refetch } = useGetPlaybookQuery(id);
  return (
    <ReadingDialog
      {...shown}
      title={playbook?.title}
      category={playbook?.category}
      words={{
        label: t('view.label'),
        text: t('view.text'),
        history: t('view.history'),
        edit: t('view.edit'),
        loading: t('loadingOne'),
      }}
      error={error}
      refetch={refetch}
      text={playbook && <PlaybookText playbook={playbook} />}
      history={
        <ObjectHistory
          kind="playbooks"
          id={id}
          canRestore={shown.onEdit !== undefined}
          // A playbook that was deleted has no version that is in use now.
          currentVersion={playbook?.version ?? 0}
        />
      }
    />
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
