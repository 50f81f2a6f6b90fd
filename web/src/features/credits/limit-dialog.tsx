import {
  type SpendLimit,
  SpendLimitInput,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { LimitScope } from '@tallyhand/contracts/features/credits/credits.events';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useListMembersQuery } from '../team/team.api.ts';
import { useSetLimitMutation } from './credits.api.ts';
import { useLimitName } from './use-limit-name.ts';

const { monthlyCredits } = SpendLimitInput.shape;

const Change = z.object({ monthlyCredits });
const Addition = z.object({
  who: z.string().min(1, 'Choose an agent or a member'),
  monthlyCredits: monthlyCredits.unwrap(),
});

/** An empty box is null; what is no number stays as it is typed, to be refused at its field. */
const asCredits = (typed: unknown) => {
  const text = String(typed ?? '').trim();
  return text === '' ? null : Number(text);
};

function useLimitTexts() {
  const { t } = useTranslation('credits');
  return {
    done: (set: { monthlyCredits: number | null }) =>
      set.monthlyCredits === null ? t('toasts.limitRemoved') : t('toasts.limitSaved'),
    failed: t('toasts.limitFailed'),
  };
}

export function EditLimitDialog({ limit, close }: { limit: SpendLimit; close: () => void }) {
  const { t } = useTranslation('credits');
  const message = useFieldMessage();
  const nameOf = useLimitName();
  const form = useContractForm(Change, { monthlyCredits: limit.monthlyCredits });
  const [setLimit] = useSetLimitMutation();
  const submitting = useSubmit(form, {
    send: (change) => setLimit({ ...limit.scope, ...change }),
    ...useLimitTexts(),
    close,
  });
  return (
    <FormDialog
      title={t('limits.editTitle', { name: nameOf(limit) })}
      description={t('limits.help')}
      {...submitting}
      submitLabel={t('limits.save')}
      pendingLabel={t('saving')}
      close={close}
    >
      <Field
        label={t('limits.monthly')}
        help={t('limits.emptyHelp')}
        error={message(form.formState.errors.monthlyCredits)}
      >
        <Input
          inputMode="numeric"
          autoComplete="off"
          {...form.register('monthlyCredits', { setValueAs: asCredits })}
        />
      </Field>
    </FormDialog>
  );
}

const scopeOf = (who: string): LimitScope => {
  const [kind, id = ''] = who.split(':');
  return { kind: kind === 'agent' ? 'agent' : 'member', id };
};

/** Agents and members who have no limit yet. */
function useChoices(limits: readonly SpendLimit[]) {
  const { t } = useTranslation('credits');
  const { data: agents = [] } = useListAgentsQuery();
  const { data: members = [] } = useListMembersQuery();
  const taken = new Set(limits.map(({ scope }) => `${scope.kind}:${scope.id}`));
  return [
    { value: '', label: t('limits.choose') },
    ...agents.map(({ id, name }) => ({
      value: `agent:${id}`,
      label: t('limits.agentNamed', { name }),
    })),
    ...members.map(({ id, username }) => ({
      value: `member:${id}`,
      label: t('limits.memberNamed', { name: username }),
    })),
  ].filter(({ value }) => !taken.has(value));
}

export function AddLimitDialog({
  limits,
  close,
}: {
  limits: readonly SpendLimit[];
  close: () => void;
}) {
  const { t } = useTranslation('credits');
  const message = useFieldMessage();
  const choices = useChoices(limits);
  const form = useContractForm(Addition, { who: '' });
  const { errors } = form.formState;
  const [setLimit] = useSetLimitMutation();
  const submitting = useSubmit(form, {
    send: ({ who, monthlyCredits }) => setLimit({ ...scopeOf(who), monthlyCredits }),
    ...useLimitTexts(),
    close,
  });
  return (
    <FormDialog
      title={t('limits.addTitle')}
      description={t('limits.help')}
      {...submitting}
      submitLabel={t('limits.save')}
      pendingLabel={t('saving')}
      close={close}
    >
      <Field label={t('limits.who')} error={message(errors.who)} required>
        <Select options={choices} {...form.register('who')} />
      </Field>
      <Field label={t('limits.monthly')} error={message(errors.monthlyCredits)} required>
        <Input
          inputMode="numeric"
          autoComplete="off"
          {...form.register('monthlyCredits', { setValueAs: asCredits })}
        />
      </Field>
    </FormDialog>
  );
}
