import type { Mailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.ts';
import { ConnectionResult } from './connection-result.tsx';
import {
  useDisconnectMailboxMutation,
  usePauseMailboxMutation,
  useResumeMailboxMutation,
  useTestMailboxMutation,
} from './mailboxes.api.ts';

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
  const { status, emailAddress, providerType, pauseReason, lastPollAt, lastError } = mailbox;
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
          {t(`pauses.${pauseReason as 'too-much-mail' | 'too-many-replies'}`)}
        </p>
      )}
      {lastError && <p className="text-xs break-words text-danger">{lastError}</p>}
      {!mailbox.canReply && <p className="text-xs text-muted">{t('waitsForSmtp')}</p>}
    </>
  );
}

function MailboxActions({ mailbox: { id, status, emailAddress } }: { mailbox: Mailbox }) {
  const { t } = useTranslation('mailboxes');
  const [asking, setAsking] = useState(false);
  const [pause, pausing] = usePauseMailboxMutation();
  const [resume, resuming] = useResumeMailboxMutation();
  const [disconnect, disconnecting] = useDisconnectMailboxMutation();
  const [test, { data: result, isLoading: testing }] = useTestMailboxMutation();
  const goesOn = status === 'paused' || status === 'failing';
  const told = async (outcome: Promise<{ error?: unknown }>, title: string) => {
    const { error } = await outcome;
    if (error) {
      const description = describeProblem(t, error);
      showToast({ variant: 'destructive', title: t('toasts.actionFailed'), description });
    } else if (title) showToast({ title });
  };
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" pending={testing} onClick={() => told(test(id), '')}>
          {t('test.submit')}
        </Button>
        {goesOn ? (
          <Button
            size="sm"
            pending={resuming.isLoading}
            onClick={() => told(resume(id), t('toasts.resumed'))}
          >
            {t('resume')}
          </Button>
        ) : (
          <Button
            size="sm"
            pending={pausing.isLoading}
            onClick={() => told(pause(id), t('toasts.paused'))}
          >
            {t('pause')}
          </Button>
        )}
        <Button size="sm" onClick={() => setAsking(true)}>
          {t('disconnect.action')}
        </Button>
      </div>
      <div aria-live="polite">{result && !testing && <ConnectionResult result={result} />}</div>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('disconnect.title', { address: emailAddress })}
        description={t('disconnect.description')}
        confirmLabel={t('disconnect.action')}
        variant="destructive"
        pending={disconnecting.isLoading}
        onConfirm={async () => {
          await told(disconnect(id), t('toasts.disconnected'));
          setAsking(false);
        }}
      />
    </>
  );
}
