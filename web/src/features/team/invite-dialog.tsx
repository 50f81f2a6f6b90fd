import {
  InviteInput,
  type IssuedInvitation,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogFooter, FormDialog } from '../../ui/dialog.tsx';
import { Field, Input, Textarea } from '../../ui/field.tsx';
import { CopyButton } from '../../ui/icon-button.tsx';
import { orUndefined, RoleFields, roleSent, usualLastDay } from './role-fields.tsx';
import { useIssueInvitationMutation } from './team.api.ts';

type Ready = { invitation: IssuedInvitation; message?: string };

/** Asks for the address to invite, then shows the link to pass on. */
export function InviteDialog({ close }: { close: () => void }) {
  const [ready, setReady] = useState<Ready>();
  return ready ? (
    <ReadyDialog {...ready} close={close} />
  ) : (
    <InviteForm close={close} onReady={setReady} />
  );
}

function InviteForm({ close, onReady }: { close: () => void; onReady: (ready: Ready) => void }) {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const form = useContractForm(InviteInput, {
    email: '',
    role: 'Viewer',
    lastDay: usualLastDay(),
    message: '',
  });
  const { errors } = form.formState;
  const [issue] = useIssueInvitationMutation();
  const submitting = useSubmit(form, {
    send: ({ message: words, email, role = 'Viewer', lastDay }) =>
      issue({
        email,
        ...roleSent({ role, lastDay }),
        ...(words && { message: words }),
      }),
    done: ({ delivery }) =>
      delivery === 'mail'
        ? { title: t('toasts.sent'), description: t('toasts.sentDescription') }
        : t('toasts.created'),
    failed: t('toasts.inviteFailed'),
    fallback: t('toasts.inviteFailedDescription'),
    onDone: (invitation) => {
      if (invitation.delivery === 'mail') close();
      else onReady({ invitation, message: form.getValues('message') });
    },
  });
  return (
    <FormDialog
      title={t('form.title')}
      description={t('form.description')}
      {...submitting}
      submitLabel={t('form.submit')}
      pendingLabel={t('form.sending')}
      close={close}
    >
      <Field label={t('form.email')} error={message(errors.email)} required>
        <Input type="email" autoComplete="off" {...form.register('email')} />
      </Field>
      <RoleFields
        role={form.watch('role') ?? 'Viewer'}
        roleProps={form.register('role')}
        lastDayProps={form.register('lastDay', { setValueAs: orUndefined })}
        errors={{ role: message(errors.role), lastDay: message(errors.lastDay) }}
      />
      <Field
        label={t('form.message')}
        hint={common('optional')}
        help={t('form.messageHelp')}
        error={message(errors.message)}
      >
        <Textarea rows={3} {...form.register('message')} />
      </Field>
    </FormDialog>
  );
}

/** Without a mail server the inviter passes the link on. */
export function ReadyDialog({ invitation, message, close }: Ready & { close: () => void }) {
  const { t } = useTranslation('team');
  const { url, email } = invitation;
  return (
    <Dialog
      close={close}
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
