import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { AUTH_TYPES } from '@tallyhand/contracts/features/tools/tools.fields';
import { KeyRound, Plus, X } from 'lucide-react';
import { useId } from 'react';
import { useFieldArray } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { type FieldWords, useBase, useEditor } from '../../app/editor.ts';
import { useContractForm, useFieldMessage } from '../../app/form.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input, PasswordInput, Select } from '../../ui/field.tsx';
import { listFormat } from '../../ui/formats.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { OAuthFields } from './sign-in.tsx';
import { fieldOf, type ToolBody, type ToolFormApi, toolForm } from './tool-form.ts';
import { isPolicy } from './tool-policies.ts';
import {
  asksForCredentials,
  forgetsCredentials,
  isSecretField,
  keptSecrets,
  movesCredentials,
  neededOf,
  type ToolValues,
  valuesOf,
  withoutMovedCredentials,
} from './tool-values.ts';
import { useChangeToolMutation, useCreateToolMutation } from './tools.api.ts';

type PartProps = { form: ToolFormApi; tool?: Tool };

/** How the tool signs in elsewhere. What is typed here is never shown again. */
export function CredentialFields({ form, tool }: PartProps) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  const values = form.watch();
  const needsNothing = values.type !== 'custom' && neededOf(values).length === 0;
  const names = useKeptNames(tool);
  const isSignIn = values.authType === 'oauth';
  const authTypes = AUTH_TYPES.filter(
    (value) => value !== 'oauth' || isSignIn || values.type === 'mcp',
  );
  return (
    <>
      <Field label={t('access.authType')} error={message(form.formState.errors.authType)}>
        <Select
          options={authTypes.map((value) => ({ value, label: t(`access.types.${value}`) }))}
          {...form.register('authType')}
        />
      </Field>
      {forgetsCredentials(values, tool) && (
        <Banner tone="warning">{t('access.forgets', { names })}</Banner>
      )}
      {movesCredentials(values, tool) && (
        <Banner tone="warning">
          {isSignIn ? t('signIn.moves') : t('access.moves', { names })}
        </Banner>
      )}
      {tool?.credentialsRequired && (
        <Banner tone="warning">
          {isSignIn && tool.credentialsRequired.reason !== 'refused'
            ? t('signIn.required')
            : t(`access.dropped.${tool.credentialsRequired.reason}`)}
        </Banner>
      )}
      {!needsNothing && tool && !asksForCredentials(values, tool) && (
        <Kept form={form} tool={tool} />
      )}
      {!needsNothing && asksForCredentials(values, tool) && <Typed form={form} tool={tool} />}
      {isSignIn && <OAuthFields form={form} tool={tool} />}
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

/** The form of a new tool, or of the one that it changes, starting with its present values. */
export function useToolForm(tool: Tool | undefined, close: () => void) {
  const { t } = useTranslation('tools');
  const base = useBase(tool);
  const { seen } = base;
  const form = useContractForm(toolForm(seen), valuesOf(tool));
  const [create] = useCreateToolMutation();
  const [change] = useChangeToolMutation();
  const send = (body: ToolBody) => {
    if ('create' in body) return create(body.create);
    return seen && Object.keys(body.change).length > 0
      ? change({ seen, body: body.change })
      : undefined;
  };
  const editor = useEditor(form, base, {
    kind: 'tools',
    valuesOf,
    words: useToolWords(),
    isPrivate: isSecretField,
    takeOut: withoutMovedCredentials,
    send,
    done: ({ credentialsRequired }: Tool) => {
      const isDropped = credentialsRequired !== null && tool?.credentialsRequired === null;
      return {
        title: tool ? t('toasts.updated') : t('toasts.created'),
        ...(isDropped && { description: t('toasts.credentialsDropped') }),
      };
    },
    failed: tool ? t('toasts.updateFailed') : t('toasts.createFailed'),
    close,
    fieldOf: (path) => fieldOf(path, form.getValues()),
  });
  return { form, editor, seen };
}

/** The fields of the form are called as in the form, their values too. */
function useToolWords(): FieldWords {
  const { t } = useTranslation('tools');
  return {
    field: {
      type: t('form.type'),
      authType: t('access.authType'),
      baseUrl: t('form.baseUrl'),
      startUrl: t('form.startUrl'),
      script: t('form.script'),
      allowedHosts: t('form.allowedHosts'),
      headers: t('headers.title'),
      openapi: t('form.openapi'),
      'policies.changes': t('approval.changes'),
      'policies.operations': t('approval.operations'),
    },
    value(name, value) {
      if (name === 'type') return t(`types.${value as Tool['type']}.name`);
      if (name === 'authType') return t(`access.types.${value as ToolValues['authType']}`);
      if (name === 'policies.changes' && isPolicy(value)) return t(`approval.policies.${value}`);
      if (name !== 'policies.operations') return undefined;
      const [operation, policy = ''] = value.split(': ');
      return isPolicy(policy) ? `${operation}: ${t(`approval.policies.${policy}`)}` : undefined;
    },
  };
}

/** Rows of a name and a text: the headers of an API, or the secrets of a script. */
export function NamedTexts({
  form,
  list,
  help,
}: {
  form: ToolFormApi;
  list: 'headers' | 'secrets';
  help: string;
}) {
  const { t } = useTranslation('tools');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const id = useId();
  const { fields, append, remove } = useFieldArray({ control: form.control, name: list });
  const error = message(form.formState.errors[list]?.root ?? form.formState.errors[list]);
  return (
    <fieldset
      className="flex min-w-0 flex-col gap-2"
      aria-describedby={`${id}-help`}
      data-invalid={error ? true : undefined}
    >
      <legend className="mb-1 text-sm font-medium">
        {t(`${list}.title`)}
        <span className="ml-1 font-normal text-muted">({common('optional')})</span>
      </legend>
      {fields.map((field, index) => (
        <Row
          key={field.id}
          form={form}
          list={list}
          index={index}
          onRemove={() => {
            remove(index);
            document.getElementById(`${id}-add`)?.focus();
          }}
        />
      ))}
      <Button
        icon={Plus}
        id={`${id}-add`}
        size="sm"
        className="self-start"
        onClick={() => append({ name: '', value: '' })}
      >
        {t(`${list}.add`)}
      </Button>
      <p id={`${id}-help`} className={error ? 'text-xs text-danger' : 'text-xs text-muted'}>
        {error ?? help}
      </p>
    </fieldset>
  );
}

type RowProps = {
  form: ToolFormApi;
  list: 'headers' | 'secrets';
  index: number;
  onRemove: () => void;
};

function Row({ form, list, index, onRemove }: RowProps) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  const id = useId();
  const errors = form.formState.errors[list]?.[index];
  const [nameError, valueError] = [message(errors?.name), message(errors?.value)];
  const ValueInput = list === 'secrets' ? PasswordInput : Input;
  const name = form.watch(`${list}.${index}.name`);
  const wiring = (isInvalid: boolean) =>
    isInvalid ? { 'aria-invalid': true as const, 'aria-describedby': `${id}-below` } : {};
  return (
    <div data-field className="flex flex-col gap-1">
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[2fr_3fr]">
          <Input
            aria-label={t(`${list}.name`)}
            placeholder={t(`${list}.name`)}
            autoComplete="off"
            spellCheck={false}
            {...wiring(nameError !== undefined)}
            {...form.register(`${list}.${index}.name`)}
          />
          <ValueInput
            aria-label={t(`${list}.value`)}
            placeholder={t(`${list}.value`)}
            autoComplete={list === 'secrets' ? 'new-password' : 'off'}
            spellCheck={false}
            {...wiring(valueError !== undefined)}
            {...form.register(`${list}.${index}.value`)}
          />
        </div>
        <IconButton
          icon={X}
          label={t(`${list}.remove`, { name: name || index + 1 })}
          onClick={onRemove}
        />
      </div>
      {(nameError ?? valueError) && (
        <p id={`${id}-below`} className="text-xs text-danger">
          {nameError ?? valueError}
        </p>
      )}
    </div>
  );
}
