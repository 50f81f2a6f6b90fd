import { Select } from '../../ui/field.tsx';
import { useListAgentsQuery } from './agents.api.ts';

type AgentSelectProps = {
  label: string;
  /** The choice of all agents. */
  all: string;
  /** Names a chosen agent that no longer exists. */
  unknown: string;
  agentId: string | undefined;
  choose: (agentId: string) => void;
  className?: string;
};

/** Filters a list by an agent; a deleted one that is chosen stays a choice. */
export function AgentSelect({ label, all, unknown, agentId, choose, className }: AgentSelectProps) {
  const { data: agents = [] } = useListAgentsQuery();
  const isGone = agentId !== undefined && !agents.some(({ id }) => id === agentId);
  return (
    <Select
      className={className}
      aria-label={label}
      value={agentId ?? ''}
      onChange={({ target }) => choose(target.value)}
      options={[
        { value: '', label: all },
        ...agents.map(({ id, name }) => ({ value: id, label: name })),
        ...(isGone ? [{ value: agentId, label: unknown }] : []),
      ]}
    />
  );
}
