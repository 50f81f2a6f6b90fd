import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { useTranslation } from 'react-i18next';
import type { Form } from '../../app/form.ts';
import { useContractForm, useSubmit } from '../../app/form.ts';
import { fieldOf, type ToolBody, toolForm } from './tool-form.ts';
import type { ToolValues } from './tool-values.ts';
import { valuesOf } from './tool-values.ts';
import { useChangeToolMutation, useCreateToolMutation } from './tools.api.ts';

/** The form of a new tool, or of the one that it changes, starting with its present values. */
export function useToolForm(tool: Tool | undefined, close: () => void) {
  const { t } = useTranslation('tools');
  const form = useContractForm(toolForm(tool), valuesOf(tool));
  const [create] = useCreateToolMutation();
  const [change] = useChangeToolMutation();
  const send = (body: ToolBody) => {
    if ('create' in body) return create(body.create);
    return Object.keys(body.change).length > 0 ? change(body) : undefined;
  };
  const submitting = useSubmit(form, {
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
  return { form, submitting };
}

export type ToolFormApi = Form<ToolValues, ToolBody>;
