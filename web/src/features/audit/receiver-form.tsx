import {
  type LogStream,
  LogStreamInput,
  LogStreamKind,
} from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import { useTranslation } from 'react-i18next';
import { type FormOf, useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { FormFailure } from '../../app/form-failure.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input, PasswordInput, Select, Textarea } from '../../ui/field.tsx';
import { useSetLogStreamMutation } from './audit.api.ts';

const EXAMPLES: Readonly<Record<LogStreamKind, string>> = {
  webhook: 'https://siem.example.com/tallyhand',
  syslog: 'tls://siem.example.com:6514',
  splunk: 'https://splunk.example.com:8088',
};

const FIRST_ENTRY = 1;

/** A field that belongs to one kind: it is not sent when it is empty or another kind is chosen. */
const OPTIONAL = {
  shouldUnregister: true,
  setValueAs: (value?: string) => value?.trim() || undefined,
};

type Props = {
  /** The stream whose receiver is replaced; absent for a new one. */
  stream?: LogStream;
  onSecret: (secret: string | null) => void;
  close?: () => void;
};

/** Starts a stream, or replaces the receiver of the present one. */
export function ReceiverForm({ stream, onSecret, close }: Props) {
  const { t } = useTranslation('audit');
  const { t: common } = useTranslation('common');
  const form = useContractForm(LogStreamInput, { kind: stream?.kind ?? 'webhook', address: '' });
  const [set] = useSetLogStreamMutation();
  const { submit, pending } = useSubmit(form, {
    send: set,
    done: stream ? t('stream.replace.done') : t('stream.start.done'),
    failed: stream ? t('stream.replace.failed') : t('stream.start.failed'),
    onDone: ({ secret }) => onSecret(secret),
    ...(close && { close }),
  });
  return (
    <form
      noValidate
      aria-label={stream ? t('stream.replace.action') : t('stream.title')}
      onSubmit={submit}
      className="flex flex-col gap-4"
    >
      {stream && <p className="max-w-[68ch] text-muted">{t('stream.replace.help')}</p>}
      <FormFailure form={form} />
      <Fields form={form} isNew={!stream} />
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          variant="primary"
          pending={pending}
          pendingLabel={t('stream.checking')}
        >
          {stream ? t('stream.replace.submit') : t('stream.start.submit')}
        </Button>
        {close && <Button onClick={close}>{common('actions.cancel')}</Button>}
      </div>
    </form>
  );
}

function Fields({ form, isNew }: { form: FormOf<typeof LogStreamInput>; isNew: boolean }) {
  const { t } = useTranslation('audit');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const { errors } = form.formState;
  const kind = form.watch('kind');
  // What was wrong for the former kind may be right for this one.
  const chosen = form.register('kind', { onChange: () => form.clearErrors() });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('stream.kind')} error={message(errors.kind)}>
          <Select
            options={LogStreamKind.options.map((value) => ({
              value,
              label: t(`stream.kinds.${value}`),
            }))}
            {...chosen}
          />
        </Field>
        <Field label={t('stream.from')} error={message(errors.from)}>
          <Select
            options={[
              { value: '', label: isNew ? t('stream.starts.next') : t('stream.starts.rest') },
              { value: String(FIRST_ENTRY), label: t('stream.starts.first') },
            ]}
            {...form.register('from', {
              setValueAs: (value) => (value ? Number(value) : undefined),
            })}
          />
        </Field>
      </div>
      <Field
        label={t('stream.address')}
        help={t(`stream.addressHelp.${kind}`)}
        error={message(errors.address)}
        required
      >
        <Input
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder={EXAMPLES[kind]}
          {...form.register('address')}
        />
      </Field>
      {kind === 'splunk' && (
        <Field
          label={t('stream.token')}
          help={t('stream.tokenHelp')}
          error={message(errors.token)}
          required
        >
          <PasswordInput autoComplete="off" {...form.register('token', OPTIONAL)} />
        </Field>
      )}
      {kind === 'syslog' && (
        <Field
          label={t('stream.authority')}
          hint={common('optional')}
          help={t('stream.authorityHelp')}
          error={message(errors.certificateAuthority)}
        >
          <Textarea
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
            {...form.register('certificateAuthority', OPTIONAL)}
          />
        </Field>
      )}
    </>
  );
}
