import { useTranslation } from 'react-i18next';
import { useFieldMessage } from '../../app/form.ts';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { NamedTexts } from './named-texts.tsx';
import { openapiSummary } from './openapi-summary.ts';
import type { ToolFormApi } from './use-tool-form.ts';

type PartProps = { form: ToolFormApi };

export function BaseUrlField({ form }: PartProps) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  return (
    <Field
      label={t('form.baseUrl')}
      help={t('form.baseUrlHelp')}
      error={message(form.formState.errors.baseUrl)}
    >
      <Input
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder={t('form.baseUrlPlaceholder')}
        {...form.register('baseUrl')}
      />
    </Field>
  );
}

export function StartUrlField({ form }: PartProps) {
  const { t } = useTranslation('tools');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  return (
    <Field
      label={t('form.startUrl')}
      hint={common('optional')}
      help={t('form.startUrlHelp')}
      error={message(form.formState.errors.startUrl)}
    >
      <Input
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder={t('form.startUrlPlaceholder')}
        {...form.register('startUrl')}
      />
    </Field>
  );
}

/** Tab moves on, as everywhere: keyboard users must be able to leave the field. */
export function ScriptField({ form }: PartProps) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  return (
    <Field
      label={t('form.script')}
      help={t('form.scriptHelp')}
      error={message(form.formState.errors.script)}
    >
      <Textarea
        rows={8}
        wrap="off"
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        className="overflow-x-auto font-mono"
        {...form.register('script')}
      />
    </Field>
  );
}

/** Where the secrets of a script may go. */
export function AllowedHostsField({ form }: PartProps) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  const { errors } = form.formState;
  return (
    <Field
      label={t('form.allowedHosts')}
      help={t('form.allowedHostsHelp')}
      error={message(errors.allowedHosts)}
    >
      <Textarea
        rows={2}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        placeholder={t('form.allowedHostsPlaceholder')}
        className="font-mono"
        {...form.register('allowedHosts')}
      />
    </Field>
  );
}

/** What an API may have besides: headers, and a document that tells its operations. */
export function ApiFields({ form }: PartProps) {
  const { t } = useTranslation('tools');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const document = form.watch('openapi');
  const found = document.trim() === '' ? undefined : openapiSummary(document);
  return (
    <>
      <NamedTexts form={form} list="headers" help={t('headers.help')} />
      <Field
        label={t('form.openapi')}
        hint={common('optional')}
        help={
          found?.kind === 'operations'
            ? t('form.operations', { count: found.count })
            : t('form.openapiHelp')
        }
        error={message(form.formState.errors.openapi)}
      >
        <Textarea
          rows={3}
          spellCheck={false}
          className="max-h-60 font-mono"
          {...form.register('openapi')}
        />
      </Field>
    </>
  );
}
