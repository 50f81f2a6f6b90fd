import type { ResourceKind } from '@tallyhand/contracts/features/agents/agents.fields';
import { LIST_LENGTH_MAX } from '@tallyhand/contracts/kernel/lists';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Outcome, useAnnounce } from '../../app/announce.ts';
import { asProblem } from '../../app/problem.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { useListArticlesQuery } from '../knowledge/knowledge.api.ts';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { useListToolsQuery } from '../tools/tools.api.ts';
import {
  useAssignResourcesMutation,
  useLazyGetAssignmentsQuery,
  useListAgentsQuery,
} from './agents.api.ts';
import { withAdded } from './assign-many.ts';

type Props = {
  kind: ResourceKind;
  ids: readonly string[];
  onDone: () => void;
  close: () => void;
};

/** Adds articles, playbooks or tools to what one agent may use. */
export function AssignManyDialog({ kind, ids, onDone, close }: Props) {
  const { t } = useTranslation('bulk');
  const { data: agents } = useListAgentsQuery();
  const announce = useAnnounce();
  const assign = useAddResources();
  const [agentId, setAgentId] = useState('');
  const [isMissing, setMissing] = useState(false);
  const [pending, setPending] = useState(false);
  const agent = agents?.find(({ id }) => id === agentId);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (pending) return;
    if (!agent) return setMissing(true);
    setPending(true);
    const { error } = await announce(assign(agent.id, kind, ids), {
      done: t('assign.done', { n: ids.length, agent: agent.name }),
      failed: t('assign.failed'),
    });
    setPending(false);
    if (error) return;
    onDone();
    close();
  };
  const options = agents?.map(({ id, name, isActive }) => {
    return { value: id, label: isActive ? name : t('assign.paused', { name }) };
  });
  return (
    <FormDialog
      title={t('assign.title', { n: ids.length })}
      description={t('assign.description')}
      submit={submit}
      submitLabel={t('assign.submit')}
      pending={pending}
      close={close}
    >
      <Field
        label={t('assign.agent')}
        help={agents?.length === 0 ? t('assign.noAgents') : undefined}
        error={isMissing && !agent ? t('assign.choose') : undefined}
        required
      >
        <Select
          name="agent"
          value={agentId}
          onChange={({ target }) => setAgentId(target.value)}
          options={[{ value: '', label: t('assign.choose') }, ...(options ?? [])]}
        />
      </Field>
    </FormDialog>
  );
}

/** Another member's assignment in between is read again; adding to it takes nothing away. */
const TRIES = 3;

function useAddResources() {
  const [load] = useLazyGetAssignmentsQuery();
  const [assign] = useAssignResourcesMutation();
  const there = {
    articles: idsOf(useListArticlesQuery().data),
    playbooks: idsOf(useListPlaybooksQuery().data),
    tools: idsOf(useListToolsQuery().data),
  };
  return async (id: string, kind: ResourceKind, ids: readonly string[]): Promise<Outcome> => {
    for (let tries = 1; ; tries += 1) {
      const { data, error } = await load(id);
      if (!data) return { error };
      const body = withAdded(data, kind, ids, there);
      if (!body) return { data: null };
      const outcome = await assign({ seen: { id, version: data.version }, body });
      const isBehind = asProblem(outcome.error).code === 'version-changed';
      if (!outcome.error || !isBehind || tries === TRIES) return outcome;
    }
  };
}

/** Unknown where the list may have more than one answer holds. */
const idsOf = (list: readonly { id: string }[] | undefined) =>
  list && list.length < LIST_LENGTH_MAX ? new Set(list.map(({ id }) => id)) : undefined;
