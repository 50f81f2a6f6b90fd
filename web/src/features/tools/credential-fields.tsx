import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { AUTH_TYPES } from '@tallyhand/contracts/features/tools/tools.fields';
import { KeyRound } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFieldMessage } from '../../app/form.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { listFormat } from '../../ui/formats.ts';
import { Input } from '../../ui/input.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { Select } from '../../ui/select.tsx';
import { NamedTexts } from './named-texts.tsx';
import {
  asksForCredentials,
  forgetsCredentials,
  keptSecrets,
  movesCredentials,
  neededOf,
} from './tool-values.ts';
import type { ToolFormApi } from './use-tool-form.ts';

type PartProps = { form: ToolFormApi; tool?: Tool };

/** How the tool signs in elsewhere. What is typed here is never shown again. */
export function CredentialFields({ form, tool }: PartProps) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  const values = form.watch();
  const needsNothing = values.type !== 'custom' && neededOf(values).length === 0;
  const names = useKeptNames(tool);
  return (
    <>
      <Field label={t('access.authType')} error={message(form.formState.errors.authType)}>
        <Select
          options={AUTH_TYPES.map((value) => ({ value, label: t(`access.types.${value}`) }))}
          {...form.register('authType')}
        />
      </Field>
      {forgetsCredentials(values, tool) && (
        <Banner tone="warning">{t('access.forgets', { names })}</Banner>
      )}
      {movesCredentials(values, tool) && (
        <Banner tone="warning">{t('access.moves', { names })}</Banner>
      )}
      {tool?.credentialsRequired && (
        <Banner tone="warning">{t(`access.dropped.${tool.credentialsRequired.reason}`)}</Banner>
      )}
      {!needsNothing && tool && !asksForCredentials(values, tool) && (
        <Kept form={form} tool={tool} />
      )}
      {!needsNothing && asksForCredentials(values, tool) && <Typed form={form} tool={tool} />}
    </>
  );
}

function useKeptNames(tool?: Tool): string {
  const { i18n } = useTranslation();
  const format = listFormat(i18n.language, { type: 'unit' });
  return format.format(tool?.credentialNames ?? []);
}

function Kept({ form, tool }: Required<PartProps>) {
  const { t } = useTranslation('tools');
  const names = useKeptNames(tool);
  const replace = () => {
    form.setValue('secrets', keptSecrets(form.getValues(), tool));
    form.setValue('replacing', true);
  };
  return (
    <div className="flex items-center gap-3 rounded-md border border-line bg-surface p-3">
      <KeyRound aria-hidden className="size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="break-words">{t('access.kept', { names })}</p>
        <p className="text-xs text-muted">{t('access.keptHelp')}</p>
      </div>
      <Button size="sm" onClick={replace}>
        {t('access.replace')}
      </Button>
    </div>
  );
}

function Typed({ form, tool }: PartProps) {
  const { t } = useTranslation('tools');
  const values = form.watch();
  const { type, replacing } = values;
  const kept = useKeptNames(tool);
  const keep = () => {
    form.resetField('credentials');
    form.resetField('secrets');
    form.setValue('replacing', false);
  };
  const fields = neededOf(form.watch());
  return (
    <>
      {fields.length > 0 && (
        <div className={fields.length > 1 ? 'grid gap-4 sm:grid-cols-2' : undefined}>
          {fields.map((name) => (
            <Credential key={name} form={form} name={name as CredentialName} />
          ))}
        </div>
      )}
      {type === 'custom' && (
        <NamedTexts
          form={form}
          list="secrets"
          help={t('secrets.help', { example: 'secrets.NAME' })}
        />
      )}
      {kept !== '' && !movesCredentials(values, tool) && (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="min-w-0 flex-1 text-xs text-muted">
            {replacing ? t('access.replaceHelp') : t('access.changes', { names: kept })}
          </p>
          {replacing && (
            <Button size="sm" onClick={keep}>
              {t('access.keep')}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

type CredentialName = 'apiKey' | 'token' | 'username' | 'password';

function Credential({ form, name }: { form: ToolFormApi; name: CredentialName }) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  const type = form.watch('type');
  const help =
    type === 'custom'
      ? t('access.scriptHelp', { name: `secrets.${name}` })
      : name === 'apiKey' && type === 'api'
        ? t('access.apiKeyHelp')
        : t('access.help');
  const Control = name === 'username' ? Input : PasswordInput;
  return (
    <Field
      label={t(`access.fields.${name}`)}
      help={help}
      error={message(form.formState.errors.credentials?.[name])}
      required
    >
      <Control autoComplete="new-password" {...form.register(`credentials.${name}`)} />
    </Field>
  );
}
