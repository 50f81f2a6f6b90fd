import {
  POLL_INTERVALS,
  PROVIDERS,
  REPLY_TEMPLATE,
  TEMPLATE_FIELDS,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { type useContractForm, useFieldMessage } from '../../app/form.ts';
import { Field, Input, PasswordInput, Select, Textarea } from '../../ui/field.tsx';
import { Switch } from '../../ui/toggles.tsx';
import {
  type MailboxForm,
  type MailboxFormValues,
  type Provider,
  portFor,
} from './mailbox-form.ts';

type MailboxFormApi = ReturnType<
  typeof useContractForm<MailboxFormValues, (typeof MailboxForm)['_output']>
>;
type PartProps = { form: MailboxFormApi };

export function AddressFields({ form }: PartProps) {
  const { t } = useTranslation('mailboxes');
  const message = useFieldMessage();
  const provider = form.register('providerType', {
    onChange: ({ target }) => {
      const port = portFor(target.value as Provider, form.getValues('credentials.port'));
      form.setValue('credentials.port', port);
    },
  });
  return (
    <>
      <Field label={t('form.provider')}>
        <Select
          options={PROVIDERS.map((value) => ({ value, label: t(`providers.${value}`) }))}
          {...provider}
        />
      </Field>
      <Field label={t('form.address')} error={message(form.formState.errors.emailAddress)} required>
        <Input
          type="email"
          autoComplete="off"
          placeholder="support@example.com"
          {...form.register('emailAddress')}
        />
      </Field>
    </>
  );
}

export function GmailFields({ form }: PartProps) {
  const { t } = useTranslation('mailboxes');
  const message = useFieldMessage();
  const errors = form.formState.errors.credentials;
  return (
    <>
      <Field label={t('form.clientId')} error={message(errors?.clientId)} required>
        <Input autoComplete="off" {...form.register('credentials.clientId')} />
      </Field>
      <Field label={t('form.clientSecret')} error={message(errors?.clientSecret)} required>
        <PasswordInput autoComplete="new-password" {...form.register('credentials.clientSecret')} />
      </Field>
      <Field
        label={t('form.refreshToken')}
        help={t('form.refreshTokenHelp')}
        error={message(errors?.refreshToken)}
        required
      >
        <PasswordInput autoComplete="new-password" {...form.register('credentials.refreshToken')} />
      </Field>
    </>
  );
}

export function ServerFields({ form }: PartProps) {
  const { t } = useTranslation('mailboxes');
  const withSmtp = form.watch('withSmtp');
  return (
    <>
      <Server form={form} at="credentials" secure="ssl" />
      <Controller
        control={form.control}
        name="withSmtp"
        render={({ field }) => (
          <Switch
            label={t('form.withSmtp')}
            help={t('form.withSmtpHelp')}
            checked={field.value}
            onCheckedChange={field.onChange}
          />
        )}
      />
      {withSmtp && <Server form={form} at="credentials.smtp" secure="tls" />}
    </>
  );
}

type ServerProps = PartProps &
  ({ at: 'credentials'; secure: 'ssl' } | { at: 'credentials.smtp'; secure: 'tls' });

function Server({ form, ...server }: ServerProps) {
  const { t } = useTranslation('mailboxes');
  const message = useFieldMessage();
  const isSmtp = server.at === 'credentials.smtp';
  const { errors } = form.formState;
  const wrong = isSmtp ? errors.credentials?.smtp : errors.credentials;
  const label = (name: 'host' | 'port' | 'username' | 'password' | 'secure') =>
    t(isSmtp ? `form.smtp.${name}` : `form.${name}`);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[1fr_120px]">
        <Field label={label('host')} error={message(wrong?.host)} required>
          <Input autoComplete="off" {...form.register(`${server.at}.host`)} />
        </Field>
        <Field label={label('port')} error={message(wrong?.port)} required>
          <Input
            type="number"
            inputMode="numeric"
            {...form.register(`${server.at}.port`, { valueAsNumber: true })}
          />
        </Field>
        <Field label={label('username')} error={message(wrong?.username)} required>
          <Input autoComplete="off" {...form.register(`${server.at}.username`)} />
        </Field>
      </div>
      <Field label={label('password')} error={message(wrong?.password)} required>
        <PasswordInput autoComplete="new-password" {...form.register(`${server.at}.password`)} />
      </Field>
      <Controller
        control={form.control}
        name={isSmtp ? 'credentials.smtp.tls' : 'credentials.ssl'}
        render={({ field }) => (
          <Switch label={label('secure')} checked={field.value} onCheckedChange={field.onChange} />
        )}
      />
    </>
  );
}

export function SyncFields({ form }: PartProps) {
  const { t } = useTranslation('mailboxes');
  const message = useFieldMessage();
  const { providerType, syncSettings } = form.watch();
  const names = TEMPLATE_FIELDS.map((name) => `{{${name}}}`).join(', ');
  return (
    <>
      <Field label={t('form.pollInterval')}>
        <Select
          options={POLL_INTERVALS.map((seconds) => ({
            value: String(seconds),
            label: t('form.minutes', { count: seconds / 60 }),
          }))}
          {...form.register('syncSettings.pollInterval')}
        />
      </Field>
      <Toggle form={form} name="autoReply" help={t('form.autoReplyHelp')} />
      {syncSettings.autoReply && (
        <Field
          label={t('form.replyTemplate')}
          help={t('form.replyTemplateHelp', { names, interpolation: { escapeValue: false } })}
          error={message(form.formState.errors.syncSettings?.replyTemplate)}
        >
          <Textarea
            rows={4}
            placeholder={REPLY_TEMPLATE}
            {...form.register('syncSettings.replyTemplate')}
          />
        </Field>
      )}
      {providerType !== 'pop3' && <Toggle form={form} name="markAsRead" />}
    </>
  );
}

function Toggle({
  form,
  name,
  help,
}: PartProps & { name: 'autoReply' | 'markAsRead'; help?: string }) {
  const { t } = useTranslation('mailboxes');
  return (
    <Controller
      control={form.control}
      name={`syncSettings.${name}`}
      render={({ field }) => (
        <Switch
          label={t(`form.${name}`)}
          help={help}
          checked={field.value}
          onCheckedChange={field.onChange}
        />
      )}
    />
  );
}
