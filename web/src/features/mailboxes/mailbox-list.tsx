import type { Mailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { useTranslation } from 'react-i18next';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { MailboxActions } from './mailbox-actions.tsx';
import { useFailureWords } from './use-failure-words.ts';

const LOOKS: Record<Mailbox['status'], Status> = {
  connected: 'success',
  polling: 'running',
  failing: 'failed',
  paused: 'paused',
};

/** The mailboxes of an agent, and what can be done with each. */
export function MailboxList({ mailboxes }: { mailboxes: readonly Mailbox[] }) {
  const { t } = useTranslation('mailboxes');
  return (
    <ul aria-label={t('list')} className="flex flex-col gap-3">
      {mailboxes.map((mailbox) => (
        <li key={mailbox.id} className="flex flex-col gap-2 rounded-md border border-line p-3">
          <MailboxState mailbox={mailbox} />
          <MailboxActions mailbox={mailbox} />
        </li>
      ))}
    </ul>
  );
}

function MailboxState({ mailbox }: { mailbox: Mailbox }) {
  const { t } = useTranslation('mailboxes');
  const { status, emailAddress, providerType, pauseReason, lastPollAt } = mailbox;
  const { lastError, lastErrorCode } = mailbox;
  const failureWords = useFailureWords();
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="min-w-0 font-medium break-words">
          {emailAddress}{' '}
          <span className="font-normal text-muted">{t(`providers.${providerType}`)}</span>
        </p>
        <StatusBadge status={LOOKS[status]} label={t(`status.${status}`)} />
      </div>
      <p className="text-xs text-muted">
        {t('lastPoll')} {lastPollAt ? <RelativeTime at={lastPollAt} /> : t('never')}
      </p>
      {pauseReason && pauseReason !== 'by-person' && (
        <p className="text-xs text-warning">
          {t(`pauses.${pauseReason}` as 'pauses.too-much-mail', { defaultValue: pauseReason })}
        </p>
      )}
      {lastError && (
        <p className="text-xs break-words text-danger">{failureWords(lastErrorCode, lastError)}</p>
      )}
      {!mailbox.canReply && <p className="text-xs text-muted">{t('waitsForSmtp')}</p>}
    </>
  );
}
