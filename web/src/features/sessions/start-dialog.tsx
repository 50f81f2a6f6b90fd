import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { SessionInput } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { STEPS_DEFAULT, STEPS_MAX } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { type FormOf, useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Dialog, DialogBody, FormDialog } from '../../ui/dialog.tsx';
import { Field, Input, Select, Textarea } from '../../ui/field.tsx';
import { Link } from '../../ui/link.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useWorkPrice } from '../models/work-price.ts';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import type { Open, Opened } from './session-address.ts';
import { useStartSessionMutation } from './sessions.api.ts';

type StartProps = {
  /** The agent to begin with; anything else is none. */
  agentId: string;
  opened: Opened;
  open: Open;
};

/** A goal for an agent. Only agents that are active are offered. */
export function StartDialog({ agentId, opened, open }: StartProps) {
  const { t } = useTranslation('sessions');
  const { data, error, refetch } = useListAgentsQuery();
  const close = () => {
    const { start: _, ...rest } = opened;
    open(rest);
  };
  const agents = data?.filter(({ isActive }) => isActive);
  if (agents) {
    return (
      <StartFormDialog
        agents={agents}
        asked={agentId}
        close={close}
        onStarted={(session) => open({ session })}
      />
    );
  }
  return (
    <Dialog close={close} title={t('start.title')} description={t('start.description')}>
      <DialogBody>
        <NotLoaded query={{ error, refetch }} label={t('start.loading')} count={4} skeleton="h-9" />
      </DialogBody>
    </Dialog>
  );
}

type FormProps = {
  agents: readonly Agent[];
  asked: string;
  close: () => void;
  onStarted: (id: string) => void;
};

function useStartForm({ agents, asked, onStarted }: FormProps) {
  const { t } = useTranslation('sessions');
  const [start] = useStartSessionMutation();
  const form = useContractForm(StartForm, startedWith(asked, agents));
  const submitting = useSubmit(form, {
    send: ({ agentId, ...body }) => start({ id: agentId, ...body }),
    done: t('toasts.started'),
    failed: t('toasts.startFailed'),
    onDone: ({ id }) => onStarted(id),
    onInvalid: () => {
      const { agentId, goal } = form.getValues();
      if (agentId !== '' && goal.trim() !== '') return;
      return { title: t('toasts.missing'), description: t('toasts.missingDescription') };
    },
  });
  return { form, submitting };
}

function StartFormDialog(props: FormProps) {
  const { t } = useTranslation('sessions');
  const { form, submitting } = useStartForm(props);
  const { data: organization } = useGetOrganizationQuery();
  const available = organization?.creditBalance;
  const agent = props.agents.find(({ id }) => id === form.watch('agentId'));
  const price = useWorkPrice('step', agent?.model ?? null) ?? 1;
  const hasNone = available !== undefined && available < price;
  return (
    <FormDialog
      title={t('start.title')}
      description={t('start.description')}
      {...submitting}
      submitLabel={t('start.submit')}
      disabled={(hasNone || props.agents.length === 0) && !submitting.pending}
      pendingLabel={t('start.pending')}
      close={props.close}
    >
      {props.agents.length === 0 && (
        <Banner tone="warning">
          {t('start.noAgents')} <BannerLink to="/agents" label={t('start.toAgents')} />
        </Banner>
      )}
      <StartFields form={form} agents={props.agents} />
      {hasNone ? (
        <Banner tone="warning">
          {t('start.noCredits', { price, available })}{' '}
          <BannerLink to="/billing" label={t('start.buyCredits')} />
        </Banner>
      ) : (
        <AtMost steps={form.watch('maxSteps')} price={price} available={available} />
      )}
    </FormDialog>
  );
}

function BannerLink({ to, label }: { to: string; label: string }) {
  return (
    <Link to={to} className="rounded-sm font-medium text-accent underline underline-offset-4">
      {label}
    </Link>
  );
}

function StartFields({
  form: { register, formState },
  agents,
}: {
  form: FormOf<typeof StartForm>;
  agents: readonly Agent[];
}) {
  const { t } = useTranslation('sessions');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const { errors } = formState;
  return (
    <>
      <Field label={t('start.agent')} error={message(errors.agentId)} required>
        <Select
          options={[
            { value: '', label: t('start.chooseAgent') },
            ...agents.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...register('agentId')}
        />
      </Field>
      <Field
        label={t('start.goal')}
        help={t('start.goalHelp')}
        error={message(errors.goal)}
        required
      >
        <Textarea rows={3} placeholder={t('start.goalPlaceholder')} {...register('goal')} />
      </Field>
      <Field label={t('start.context')} hint={common('optional')} error={message(errors.context)}>
        <Textarea rows={2} placeholder={t('start.contextPlaceholder')} {...register('context')} />
      </Field>
      <Field
        label={t('start.steps')}
        help={t('start.stepsHelp', { max: STEPS_MAX })}
        error={message(errors.maxSteps)}
      >
        <Input
          type="number"
          inputMode="numeric"
          min={1}
          max={STEPS_MAX}
          className="sm:w-32"
          {...register('maxSteps', { valueAsNumber: true })}
        />
      </Field>
    </>
  );
}

/** What it can cost, and whether there is as much. */
function AtMost({
  steps,
  price,
  available,
}: {
  steps: number | undefined;
  price: number;
  available?: number;
}) {
  const { t } = useTranslation('sessions');
  if (steps === undefined || !(steps >= 1 && steps <= STEPS_MAX)) return null;
  const count = Math.trunc(steps) * price;
  return (
    <div aria-live="polite" className="rounded-md bg-sunken px-3 py-2">
      <p className="font-medium">{t('start.atMost', { count })}</p>
      {available !== undefined && available < count && (
        <p className="text-muted">{t('start.fewCredits', { count: available })}</p>
      )}
    </div>
  );
}

/** What the form of a new session gives; a blank context is none. */
const StartForm = SessionInput.extend({
  agentId: z.uuid('Please select an agent'),
}).transform(({ context, ...rest }) => ({ ...rest, ...(context && { context }) }));

/** The form's beginning: the agent that is asked for, or the only one that there is. */
const startedWith = (asked: string, agents: readonly { id: string }[]) => ({
  agentId: agents.find(({ id }) => id === asked || agents.length === 1)?.id ?? '',
  goal: '',
  context: '',
  maxSteps: STEPS_DEFAULT,
});
