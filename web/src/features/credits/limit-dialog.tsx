import {
  type SpendLimit,
  SpendLimitInput,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { LimitScope } from '@tallyhand/contracts/features/credits/credits.events';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { showFieldErrors, useContractForm, useFieldMessage } from '../../app/form.ts';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { showToast } from '../../ui/toast.ts';
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

/** Sends a limit and says how it went. False where it was refused. */
function useSaveLimit() {
  const { t } = useTranslation('credits');
  const [setLimit, { isLoading: saving }] = useSetLimitMutation();
  const save = async (scope: LimitScope, credits: number | null) => {
    const { error } = await setLimit({ ...scope, monthlyCredits: credits });
    if (!error) {
      showToast({ title: credits === null ? t('toasts.limitRemoved') : t('toasts.limitSaved') });
      return undefined;
    }
    showToast({
      variant: 'destructive',
      title: t('toasts.limitFailed'),
      description: describeProblem(t, error),
    });
    return error;
  };
  return { save, saving };
}

export function EditLimitDialog({ limit, close }: { limit: SpendLimit; close: () => void }) {
  const { t } = useTranslation('credits');
  const message = useFieldMessage();
  const nameOf = useLimitName();
  const form = useContractForm(Change, { monthlyCredits: limit.monthlyCredits });
  const { save, saving } = useSaveLimit();
  const submit = form.handleSubmit(async (change) => {
    if (saving) return;
    const error = await save(limit.scope, change.monthlyCredits);
    if (error) showFieldErrors(form, error);
    else close();
  });
  return (
    <Dialog
      open
      onOpenChange={close}
      dirty={form.formState.isDirty && !saving}
      title={t('limits.editTitle', { name: nameOf(limit) })}
      description={t('limits.help')}
    >
      <form noValidate onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
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
        </DialogBody>
        <DialogFooter>
          <DialogCancel />
          <Button type="submit" variant="primary" pending={saving} pendingLabel={t('saving')}>
            {t('limits.save')}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
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
  const { errors, isDirty } = form.formState;
  const { save, saving } = useSaveLimit();
  const submit = form.handleSubmit(async (addition) => {
    if (saving) return;
    const error = await save(scopeOf(addition.who), addition.monthlyCredits);
    if (error) showFieldErrors(form, error);
    else close();
  });
  return (
    <Dialog
      open
      onOpenChange={close}
      dirty={isDirty && !saving}
      title={t('limits.addTitle')}
      description={t('limits.help')}
    >
      <form noValidate onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
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
        </DialogBody>
        <DialogFooter>
          <DialogCancel />
          <Button type="submit" variant="primary" pending={saving} pendingLabel={t('saving')}>
            {t('limits.save')}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
