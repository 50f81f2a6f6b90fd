import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { TOOL_TYPES } from '@tallyhand/contracts/features/tools/tools.fields';
import { useTranslation } from 'react-i18next';
import { ChangedSince } from '../../app/changed-since.tsx';
import { useFieldMessage } from '../../app/form.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { useListToolsQuery } from './tools.api.ts';
import {
  AllowedHostsField,
  ApiFields,
  BaseUrlField,
  ScriptField,
  StartUrlField,
} from './type-fields.tsx';
import { type ToolFormApi, useToolForm } from './use-tool-form.ts';

/** Adds a tool, or changes the given one, starting with its present values. */
export function ToolDialog({ tool, close }: { tool?: Tool; close: () => void }) {
  const { t } = useTranslation('tools');
  const { form, submitting } = useToolForm(tool, close);
  const type = form.watch('type');
  const { data: tools } = useListToolsQuery();
  const now = submitting.pending ? undefined : tools?.find(({ id }) => id === tool?.id)?.version;
  return (
    <FormDialog
      title={tool ? t('form.editTitle') : t('form.createTitle')}
      description={tool ? t('form.editDescription') : t('form.createDescription')}
      {...submitting}
      submitLabel={tool ? t('form.submitEdit') : t('form.submitCreate')}
      pendingLabel={t('form.saving')}
      close={close}
    >
      {tool && <ChangedSince start={tool.version} now={now} />}
      <About form={form} />
      {type === 'api' && <BaseUrlField form={form} />}
      {type === 'browser' && <StartUrlField form={form} />}
      {type === 'custom' && <ScriptField form={form} />}
      <CredentialFields form={form} tool={tool} />
      {type === 'custom' && <AllowedHostsField form={form} />}
      {type === 'api' && <ApiFields form={form} />}
    </FormDialog>
  );
}

function About({ form }: { form: ToolFormApi }) {
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
          {...form.register('type')}
        />
      </Field>
    </>
  );
}
