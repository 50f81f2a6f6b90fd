import {
  InviteInput,
  type IssuedInvitation,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { ROLES } from '@tallyhand/contracts/kernel/role';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showFieldErrors, useContractForm, useFieldMessage } from '../../app/form.ts';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { showToast } from '../../ui/toast.ts';
import { useIssueInvitationMutation } from './team.api.ts';

type Ready = { invitation: IssuedInvitation; message?: string };

/** Asks whom to invite, then shows the link to hand over. */
export function InviteDialog({ close }: { close: () => void }) {
  const [ready, setReady] = useState<Ready>();
  return ready ? (
    <ReadyDialog {...ready} close={close} />
  ) : (
    <FormDialog close={close} onReady={setReady} />
  );
}

function FormDialog({ close, onReady }: { close: () => void; onReady: (ready: Ready) => void }) {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const form = useContractForm(InviteInput, { email: '', role: 'Viewer', message: '' });
  const { errors, isDirty } = form.formState;
  const [issue, { isLoading }] = useIssueInvitationMutation();
  const submit = form.handleSubmit(async ({ message: words, ...rest }) => {
    if (isLoading) return;
    const { data, error } = await issue(words ? { ...rest, message: words } : rest);
    if (data?.delivery === 'mail') {
      close();
      showToast({ title: t('toasts.sent'), description: t('toasts.sentDescription') });
      return;
    }
    if (data) {
      showToast({ title: t('toasts.created') });
      onReady({ invitation: data, message: words });
      return;
    }
    showFieldErrors(form, error);
    showToast({
      variant: 'destructive',
      title: t('toasts.inviteFailed'),
      description: describeProblem(t, error, t('toasts.inviteFailedDescription')),
    });
  });
  return (
    <Dialog
      open
      onOpenChange={close}
      dirty={isDirty && !isLoading}
      title={t('form.title')}
      description={t('form.description')}
    >
      <form noValidate onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          <Field label={t('form.email')} error={message(errors.email)} required>
            <Input type="email" autoComplete="off" {...form.register('email')} />
          </Field>
          <Field label={t('form.role')} error={message(errors.role)}>
            <Select
              options={ROLES.map((value) => ({ value, label: common(`roles.${value}`) }))}
              {...form.register('role')}
            />
          </Field>
          <Field
            label={t('form.message')}
            hint={common('optional')}
            help={t('form.messageHelp')}
            error={message(errors.message)}
          >
            <Textarea rows={3} {...form.register('message')} />
          </Field>
        </DialogBody>
        <DialogFooter>
          <DialogCancel />
          <Button
            type="submit"
            variant="primary"
            pending={isLoading}
            pendingLabel={t('form.sending')}
          >
            {t('form.submit')}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

/** Without a mail server somebody hands the link over. */
export function ReadyDialog({ invitation, message, close }: Ready & { close: () => void }) {
  const { t } = useTranslation('team');
  const { url, email } = invitation;
  return (
    <Dialog
      open
      onOpenChange={close}
      title={t('form.ready')}
      description={t('form.readyDescription', { email })}
    >
      <DialogBody>
        <div className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <Field label={t('form.link')}>
              <Input readOnly value={url} onFocus={(event) => event.target.select()} />
            </Field>
          </div>
          <div className="flex h-9 items-center">
            <CopyButton text={message ? `${message}\n\n${url}` : url} label={t('form.copy')} />
          </div>
        </div>
      </DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={close}>
          {t('form.done')}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
