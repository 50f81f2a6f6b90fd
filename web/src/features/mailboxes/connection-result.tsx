import type { MailboxTest } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../../ui/badge.tsx';
import { useFailureWords } from './use-failure-words.ts';

/** What of a mailbox works, fetching and sending each for itself. */
export function ConnectionResult({ result }: { result: MailboxTest }) {
  const { t } = useTranslation('mailboxes');
  return (
    <ul aria-label={t('test.result')} className="flex flex-col gap-2">
      <Part name={t('test.fetch')} part={result.fetch} />
      {result.send ? (
        <Part name={t('test.send')} part={result.send} />
      ) : (
        <li className="text-xs text-muted">{t('waitsForSmtp')}</li>
      )}
    </ul>
  );
}

function Part({ name, part }: { name: string; part: MailboxTest['fetch'] }) {
  const { t } = useTranslation('mailboxes');
  const failureWords = useFailureWords();
  return (
    <li className="flex flex-wrap items-center gap-2">
      <StatusBadge
        status={part.works ? 'success' : 'failed'}
        label={part.works ? t('test.works', { name }) : t('test.fails', { name })}
      />
      {part.error && (
        <span className="min-w-0 text-xs break-words text-danger">
          {failureWords(part.code, part.error)}
        </span>
      )}
    </li>
  );
}
