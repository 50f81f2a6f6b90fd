import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  AgentInput,
  COMMUNICATION_STYLES,
  DEFAULT_FORM_POLICY,
  loosensForms,
  RESPONSE_FORMATS,
} from '@tallyhand/contracts/features/agents/agents.fields';
import { TOOL_POLICIES } from '@tallyhand/contracts/features/tools/tool-policy';
import { ADMINS, mayCall } from '@tallyhand/contracts/kernel/access';
import { LayoutTemplate } from 'lucide-react';
import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { EditDialog } from '../../app/edit-dialog.tsx';
import { useBase, useEditor } from '../../app/editor.ts';
import { type FormOf, useContractForm, useFieldMessage } from '../../app/form.ts';
import { Button } from '../../ui/button.tsx';
import { ChipsInput } from '../../ui/chips-input.tsx';
import { Field, Input, Select, Textarea } from '../../ui/field.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import {
  useChangeAgentMutation,
  useCreateAgentMutation,
  useListAgentsQuery,
} from './agents.api.ts';
import { ModelFields } from './model-fields.tsx';

const SUGGESTIONS = [
  'Customer Support',
  'Sales',
  'Marketing',
  'Technical Support',
  'Data Analysis',
  'Content Writing',
  'Project Management',
  'HR',
  'Finance',
  'Legal',
  'Research',
  'Product Management',
  'Engineering',
  'Design',
  'Operations',
] as const;

const NEW_AGENT: AgentInput = {
  name: '',
  description: '',
  personaConfig: {
    role: '',
    personality: '',
    expertise: [],
    communicationStyle: 'professional',
    responseFormat: 'detailed',
  },
  isActive: true,
  model: null,
  formPolicy: DEFAULT_FORM_POLICY,
};

function inputOf({ formPolicy, ...agent }: Agent): AgentInput {
  const { name, description, personaConfig, isActive, model } = agent;
  // Without a policy all forms are sent.
  return { name, description, personaConfig, isActive, model, formPolicy: formPolicy ?? 'allow' };
}

function useAgentForm(agent: Agent | undefined, close: () => void) {
  const { t } = useTranslation('agents');
  const base = useBase(agent);
  const { seen } = base;
  const form = useContractForm(AgentInput, agent ? inputOf(agent) : NEW_AGENT);
  const [create] = useCreateAgentMutation();
  const [change] = useChangeAgentMutation();
  const editor = useEditor(form, base, {
    kind: 'agents',
    valuesOf: inputOf,
    send: create,
    change: seen && ((body) => change({ seen, body })),
    done: agent ? t('toasts.updated') : t('toasts.created'),
    failed: agent ? t('toasts.updateFailed') : t('toasts.createFailed'),
    close,
    onInvalid: () => {
      if (form.getValues('personaConfig.expertise').some((area) => area.trim() !== '')) return;
      return {
        title: t('toasts.expertiseRequired'),
        description: t('toasts.expertiseRequiredDescription'),
      };
    },
  });
  return { form, editor };
}

type AgentForm = FormOf<typeof AgentInput>;

type AgentDialogProps = {
  agent?: Agent;
  close: () => void;
  /** Shows the templates in place of the empty form of a new agent. */
  fromTemplate?: () => void;
};

/** Creates an agent, or changes the given one, starting with its present values. */
export function AgentDialog({ agent, close, fromTemplate }: AgentDialogProps) {
  const { t } = useTranslation('agents');
  const { form, editor } = useAgentForm(agent, close);
  const { data: agents } = useListAgentsQuery();
  return (
    <EditDialog
      editor={editor}
      now={agents?.find(({ id }) => id === agent?.id)}
      title={agent ? t('form.editTitle') : t('form.createTitle')}
      description={agent ? t('form.editDescription') : t('form.createDescription')}
      submitLabel={agent ? t('form.submitEdit') : t('form.submitCreate')}
      pendingLabel={t('form.saving')}
      close={close}
    >
      {fromTemplate && (
        <div>
          <Button size="sm" icon={LayoutTemplate} onClick={fromTemplate}>
            {t('fromTemplate')}
          </Button>
        </div>
      )}
      <AgentFields form={form} agent={agent} />
    </EditDialog>
  );
}

export function AgentFields({ form, agent }: { form: AgentForm; agent?: Agent }) {
  const { t } = useTranslation('agents');
  return (
    <>
      <About form={form} />
      <Persona form={form} />
      <ModelFields form={form} />
      <FormPolicyField form={form} agent={agent} />
      <Controller
        control={form.control}
        name="isActive"
        render={({ field }) => (
          <Switch
            label={t('form.isActive')}
            help={t('form.isActiveHelp')}
            checked={field.value ?? true}
            onCheckedChange={field.onChange}
          />
        )}
      />
    </>
  );
}

/** What happens before the agent sends a form in a session. */
function FormPolicyField({ form, agent }: { form: AgentForm; agent: Agent | undefined }) {
  const { t } = useTranslation('agents');
  const message = useFieldMessage();
  const { role } = useCurrentUser();
  const present = agent ? agent.formPolicy : DEFAULT_FORM_POLICY;
  const mayLoosen = mayCall(role, ADMINS);
  const options = TOOL_POLICIES.map((value) => ({
    value,
    label: t(`form.formPolicy.${value}`),
    disabled: !mayLoosen && loosensForms(present, value),
  }));
  return (
    <Field
      label={t('form.formPolicy.label')}
      help={
        mayLoosen
          ? t('form.formPolicy.help')
          : `${t('form.formPolicy.help')} ${t('form.formPolicy.adminsLoosen')}`
      }
      error={message(form.formState.errors.formPolicy)}
    >
      <Select options={options} {...form.register('formPolicy')} />
    </Field>
  );
}

function About({ form }: { form: AgentForm }) {
  const { t } = useTranslation('agents');
  const message = useFieldMessage();
  const { errors } = form.formState;
  return (
    <>
      <Field label={t('form.name')} error={message(errors.name)} required>
        <Input
          autoComplete="off"
          placeholder={t('form.namePlaceholder')}
          {...form.register('name')}
        />
      </Field>
      <Field label={t('form.description')} error={message(errors.description)} required>
        <Textarea
          rows={2}
          placeholder={t('form.descriptionPlaceholder')}
          {...form.register('description')}
        />
      </Field>
    </>
  );
}

function Persona({ form }: { form: AgentForm }) {
  const { t } = useTranslation('agents');
  const message = useFieldMessage();
  const errors = form.formState.errors.personaConfig;
  return (
    <>
      <Field label={t('form.role')} error={message(errors?.role)} required>
        <Input placeholder={t('form.rolePlaceholder')} {...form.register('personaConfig.role')} />
      </Field>
      <Field label={t('form.personality')} error={message(errors?.personality)} required>
        <Textarea
          rows={2}
          placeholder={t('form.personalityPlaceholder')}
          {...form.register('personaConfig.personality')}
        />
      </Field>
      <Field
        label={t('form.expertise')}
        help={t('form.expertiseHelp')}
        error={message(errors?.expertise)}
        required
      >
        <Controller
          control={form.control}
          name="personaConfig.expertise"
          render={({ field }) => (
            <ChipsInput
              {...field}
              suggestions={SUGGESTIONS.map((key) => t(`form.suggestions.${key}`))}
            />
          )}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('form.communicationStyle')} error={message(errors?.communicationStyle)}>
          <Select
            options={COMMUNICATION_STYLES.map((value) => ({
              value,
              label: t(`form.styles.${value}`),
            }))}
            {...form.register('personaConfig.communicationStyle')}
          />
        </Field>
        <Field label={t('form.responseFormat')} error={message(errors?.responseFormat)}>
          <Select
            options={RESPONSE_FORMATS.map((value) => ({
              value,
              label: t(`form.formats.${value}`),
            }))}
            {...form.register('personaConfig.responseFormat')}
          />
        </Field>
      </div>
    </>
  );
}
