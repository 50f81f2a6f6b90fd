import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useTranslation } from 'react-i18next';
import { useContractForm, useSubmit } from '../../app/form.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toast.ts';
import { ConnectionResult } from './connection-result.tsx';
import { AddressFields, GmailFields, ServerFields, SyncFields } from './mailbox-fields.tsx';
import { MailboxForm, NEW_MAILBOX } from './mailbox-form.ts';
import { MailboxList } from './mailbox-list.tsx';
import {
  useConnectMailboxMutation,
  useListMailboxesQuery,
  useTestNewMailboxMutation,
} from './mailboxes.api.ts';

/** When it was looked into last is told by no event. */
const LOOK_MS = 5_000;

function useMailboxForm(agentId: string, close: () => void) {
  const { t } = useTranslation('mailboxes');
  const form = useContractForm(MailboxForm, NEW_MAILBOX);
  const [connect, { isLoading: pending }] = useConnectMailboxMutation();
  const [test, tested] = useTestNewMailboxMutation();
  const onInvalid = ({ emailAddress }: { emailAddress?: unknown }) => {
    if (!emailAddress || form.getValues('emailAddress').trim() !== '') return;
    showToast({
      variant: 'destructive',
      title: t('toasts.addressRequired'),
      description: t('toasts.addressRequiredDescription'),
    });
  };
  const { submit } = useSubmit(form, {
    send: (input) => connect({ agentId, input }),
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
