import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { useTranslation } from 'react-i18next';
import { numberFormat } from '../../ui/formats.ts';

type FinalOutcome = NonNullable<Session['workspaceData']['finalOutcome']>;

/** What came of a session, what to do next, and what it took. */
export function SessionOutcome({ outcome }: { outcome: FinalOutcome }) {
  const { t, i18n } = useTranslation('sessions');
  const { summary, keyFindings, nextSteps, totalSteps, totalCredits } = outcome;
  return (
    <>
      <p className="max-w-[68ch] break-words whitespace-pre-wrap">{summary}</p>
      <Sentences title={t('outcome.findings')} sentences={keyFindings} />
      <Sentences title={t('outcome.nextSteps')} sentences={nextSteps} />
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        <Total
          name={t('outcome.totalSteps')}
          value={numberFormat(i18n.language).format(totalSteps)}
        />
        <Total
          name={t('outcome.totalCredits')}
          value={numberFormat(i18n.language).format(totalCredits)}
        />
      </dl>
    </>
  );
}

function Sentences({ title, sentences }: { title: string; sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  // Two findings may be the same sentence; the list itself never changes.
  const numbered = sentences.map((sentence, index) => ({ sentence, key: `${index}` }));
  return (
    <div>
      <h3 className="text-xs text-muted">{title}</h3>
      <ul className="mt-1 flex list-disc flex-col gap-1 pl-4">
        {numbered.map(({ sentence, key }) => (
          <li key={key} className="max-w-[68ch] break-words">
            {sentence}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex items-baseline gap-2">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="tabular font-medium">{value}</dd>
    </div>
  );
}
