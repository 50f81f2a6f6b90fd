import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import type {
  Mailbox,
  MailboxTest,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Outcome, useAnnounce } from '../../app/announce.ts';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { useContractForm, useSubmit } from '../../app/form.ts';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { AddressFields, GmailFields, ServerFields, SyncFields } from './mailbox-fields.tsx';
import { MailboxForm, NEW_MAILBOX } from './mailbox-form.ts';
import {
  useConnectMailboxMutation,
  useDisconnectMailboxMutation,
  useListMailboxesQuery,
  usePauseMailboxMutation,
  useResumeMailboxMutation,
  useTestMailboxMutation,
  useTestNewMailboxMutation,
} from './mailboxes.api.ts';
import { MailsDialog, useFailureWords } from './mails-dialog.tsx';

/** Polled: no event announces when the mailbox was last read. */
const LOOK_MS = 5_000;

function useMailboxForm(agentId: string, close: () => void) {
  const { t } = useTranslation('mailboxes');
  const form = useContractForm(MailboxForm, NEW_MAILBOX);
  const [connect, { isLoading: pending }] = useConnectMailboxMutation();
  const [test, tested] = useTestNewMailboxMutation();
  const onInvalid = ({ emailAddress }: { emailAddress?: unknown }) => {
    if (!emailAddress || form.getValues('emailAddress').trim() !== '') return;
    return {
      title: t('toasts.addressRequired'),
      description: t('toasts.addressRequiredDescription'),
    };
  };
  const { submit } = useSubmit(form, {
    send: (input) => connect({ id: agentId, ...input }),
    done: t('toasts.created'),
    failed: t('toasts.failed'),
    fallback: t('toasts.failedDescription'),
    close,
    onInvalid,
  });
  const { submit: tryOut } = useSubmit(form, {
    send: test,
    failed: t('toasts.actionFailed'),
    onInvalid,
  });
  return { form, submit, pending, tryOut, tested };
}

/** Connects an address whose mail an agent answers, and shows those that are connected. */
export function MailboxDialog({ agent, close }: { agent: Agent; close: () => void }) {
  const { t } = useTranslation('mailboxes');
  const { form, submit, pending, tryOut, tested } = useMailboxForm(agent.id, close);
  const { data: mailboxes = [] } = useListMailboxesQuery(agent.id, { pollingInterval: LOOK_MS });
  const isGmail = form.watch('providerType') === 'gmail';
  return (
    <FormDialog
      title={t('title')}
      description={t('description', { name: agent.name })}
      submit={submit}
      submitLabel={t('form.submit')}
      disabled={tested.isLoading}
      pending={pending}
      pendingLabel={t('form.saving')}
      dirty={form.formState.isDirty && !pending}
      close={close}
    >
      {mailboxes.length > 0 && <MailboxList mailboxes={mailboxes} />}
      <AddressFields form={form} />
      {isGmail ? <GmailFields form={form} /> : <ServerFields form={form} />}
      <SyncFields form={form} />
      <Banner tone="info">{t('price')}</Banner>
      <div aria-live="polite" className="flex flex-col items-start gap-3">
        <Button size="sm" pending={tested.isLoading} onClick={tryOut}>
          {t('test.submit')}
        </Button>
        {tested.data && !tested.isLoading && <ConnectionResult result={tested.data} />}
      </div>
    </FormDialog>
  );
}

const LOOKS: Record<Mailbox['status'], Status> = {
  connected: 'success',
  polling: 'running',
  failing: 'failed',
  paused: 'paused',
};

/** The mailboxes of an agent, and what can be done with each. */
function MailboxList({ mailboxes }: { mailboxes: readonly Mailbox[] }) {
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

/** Announces how an action ended. */
function useAnnounceAction() {
  const { t } = useTranslation('mailboxes');
  const announce = useAnnounce();
  return <Data,>(call: PromiseLike<Outcome<Data>>, done?: string) =>
    announce(call, { done, failed: t('toasts.actionFailed') });
}

/** What can be done with a connected mailbox. */
function MailboxActions({ mailbox }: { mailbox: Mailbox }) {
  const { t } = useTranslation('mailboxes');
  const [isReading, setReading] = useState(false);
  const announce = useAnnounceAction();
  const [test, { data: result, isLoading: testing }] = useTestMailboxMutation();
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => setReading(true)}>
          {t('mails.action')}
        </Button>
        <Button size="sm" pending={testing} onClick={() => announce(test(mailbox.id))}>
          {t('test.submit')}
        </Button>
        <PauseOrResume mailbox={mailbox} />
        <Disconnect mailbox={mailbox} />
      </div>
      <div aria-live="polite">{result && !testing && <ConnectionResult result={result} />}</div>
      {isReading && <MailsDialog mailbox={mailbox} close={() => setReading(false)} />}
    </>
  );
}

function PauseOrResume({ mailbox: { id, status, pauseReason } }: { mailbox: Mailbox }) {
  const { t } = useTranslation('mailboxes');
  const announce = useAnnounceAction();
  const [pause, pausing] = usePauseMailboxMutation();
  const [resume, resuming] = useResumeMailboxMutation();
  // It resumes with its agent.
  if (pauseReason === 'agent-paused') return null;
  if (status === 'paused' || status === 'failing') {
    return (
      <Button
        size="sm"
        pending={resuming.isLoading}
        onClick={() => announce(resume(id), t('toasts.resumed'))}
      >
        {t('resume')}
      </Button>
    );
  }
  return (
    <Button
      size="sm"
      pending={pausing.isLoading}
      onClick={() => announce(pause(id), t('toasts.paused'))}
    >
      {t('pause')}
    </Button>
  );
}

function Disconnect({ mailbox: { id, emailAddress } }: { mailbox: Mailbox }) {
  const { t } = useTranslation('mailboxes');
  const [asking, setAsking] = useState(false);
  const [disconnect] = useDisconnectMailboxMutation();
  return (
    <>
      <Button size="sm" onClick={() => setAsking(true)}>
        {t('disconnect.action')}
      </Button>
      {asking && (
        <ConfirmAction
          title={t('disconnect.title', { address: emailAddress })}
          description={t('disconnect.description')}
          confirmLabel={t('disconnect.action')}
          run={() => disconnect(id)}
          announcement={{ done: t('toasts.disconnected'), failed: t('toasts.actionFailed') }}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** What of a mailbox works, fetching and sending each for itself. */
function ConnectionResult({ result }: { result: MailboxTest }) {
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
