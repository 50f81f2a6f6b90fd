import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { TOOL_TYPES } from '@tallyhand/contracts/features/tools/tools.fields';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EditDialog } from '../../app/edit-dialog.tsx';
import { useFieldMessage } from '../../app/form.ts';
import { Field, Input, Select, Textarea } from '../../ui/field.tsx';
import { CredentialFields, NamedTexts, useToolForm } from './credential-fields.tsx';
import { openapiSummary } from './openapi-summary.ts';
import { PolicyFields } from './policy-fields.tsx';
import type { ToolFormApi } from './tool-form.ts';
import { changesForType } from './tool-policies.ts';
import { useListToolsQuery } from './tools.api.ts';

/** What each type of tool asks for first. */
const OWN_FIELDS: Record<Tool['type'], (props: PartProps) => ReactNode> = {
  api: BaseUrlField,
  mcp: McpUrlField,
  browser: StartUrlField,
  custom: ScriptField,
};

/** Adds a tool, or changes the given one, starting with its present values. */
export function ToolDialog({
  tool,
  reviewsPolicies,
  close,
}: {
  tool?: Tool;
  /** Begins with the policies. */
  reviewsPolicies?: boolean;
  close: () => void;
}) {
  const { t } = useTranslation('tools');
  const { form, editor, seen } = useToolForm(tool, close);
  const type = form.watch('type');
  const OwnField = OWN_FIELDS[type];
  const { data: tools } = useListToolsQuery();
  return (
    <EditDialog
      editor={editor}
      now={tools?.find(({ id }) => id === tool?.id)}
      title={tool ? t('form.editTitle') : t('form.createTitle')}
      description={tool ? t('form.editDescription') : t('form.createDescription')}
      submitLabel={tool ? t('form.submitEdit') : t('form.submitCreate')}
      pendingLabel={t('form.saving')}
      close={close}
    >
      <About form={form} tool={seen} />
      <OwnField form={form} />
      <CredentialFields form={form} tool={seen} />
      {type === 'custom' && <AllowedHostsField form={form} />}
      {type === 'api' && <ApiFields form={form} />}
      {type === 'mcp' && <NamedTexts form={form} list="headers" help={t('headers.help')} />}
      <PolicyFields form={form} tool={seen} isFirst={reviewsPolicies} />
    </EditDialog>
  );
}

function About({ form, tool }: PartProps & { tool: Tool | undefined }) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  const { errors } = form.formState;
  const type = form.watch('type');
  return (
    <>
      <Field label={t('form.name')} error={message(errors.name)} required>
        <Input
          autoComplete="off"
          placeholder={t('form.namePlaceholder')}
          {...form.register('name')}
        />
      </Field>
      <Field
        label={t('form.description')}
        help={t('form.descriptionHelp')}
        error={message(errors.description)}
        required
      >
        <Textarea
          rows={2}
          placeholder={t('form.descriptionPlaceholder')}
          {...form.register('description')}
        />
      </Field>
      <Field label={t('form.type')} help={t(`types.${type}.about`)} error={message(errors.type)}>
        <Select
          options={TOOL_TYPES.map((value) => ({ value, label: t(`types.${value}.name`) }))}
          {...form.register('type', {
            onChange: () => {
              const { type: chosen, policies } = form.getValues();
              const changes = changesForType(policies.changes, chosen, tool);
              form.setValue('policies.changes', changes, { shouldDirty: true });
            },
          })}
        />
      </Field>
    </>
  );
}

type PartProps = { form: ToolFormApi };

function BaseUrlField({ form }: PartProps) {
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

function McpUrlField({ form }: PartProps) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  return (
    <Field
      label={t('mcp.address')}
      help={t('mcp.addressHelp')}
      error={message(form.formState.errors.baseUrl)}
    >
      <Input type="url" inputMode="url" autoComplete="off" {...form.register('baseUrl')} />
    </Field>
  );
}

function StartUrlField({ form }: PartProps) {
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
function ScriptField({ form }: PartProps) {
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
function AllowedHostsField({ form }: PartProps) {
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

/** Optional for an API: headers, and a document that describes its operations. */
function ApiFields({ form }: PartProps) {
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
