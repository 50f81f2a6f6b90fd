import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { Link } from '../../ui/link.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useListArticlesQuery } from '../knowledge/knowledge.api.ts';
import { useListConnectionsQuery } from '../models/models.api.ts';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { useListMembersQuery } from '../team/team.api.ts';
import { useListToolsQuery } from '../tools/tools.api.ts';
import { useAuditWords } from './audit-words.ts';
import { historyAddressOf } from './audited-address.ts';
import type { ObjectRef } from './named-objects.ts';

export function ObjectLink({ object }: { object: AuditEntry['object'] }) {
  const name = useAuditWords().object(object);
  const address = historyAddressOf(object);
  if (!address) return <span className="min-w-0 truncate text-muted">{name}</span>;
  return (
    <Link
      to={address}
      title={name}
      className="min-w-0 truncate rounded-sm text-accent underline-offset-4 hover:underline"
    >
      {name}
    </Link>
  );
}

/** A link to an object that a value names by its id, with the name that it has now. */
export function NamedObject({ object }: { object: ObjectRef }) {
  const name = useNameOf(object);
  // A member's place may also be taken by a code, such as `operator`.
  if (object.kind === 'member' && name === null) return <p>{object.id}</p>;
  return (
    <p className="flex">
      <ObjectLink object={{ ...object, name }} />
    </p>
  );
}

/** Null for an object without a name, or one that was deleted. */
function useNameOf({ kind, id }: ObjectRef): string | null {
  const only = (wanted: string) => ({ skip: kind !== wanted });
  const agents = useListAgentsQuery(undefined, only('agent'));
  const articles = useListArticlesQuery(undefined, only('article'));
  const connections = useListConnectionsQuery(undefined, only('connection'));
  const members = useListMembersQuery(undefined, only('member'));
  const playbooks = useListPlaybooksQuery(undefined, only('playbook'));
  const tools = useListToolsQuery(undefined, only('tool'));
  const named = [
    ...(agents.data ?? []),
    ...(connections.data ?? []),
    ...(tools.data ?? []),
    ...(articles.data ?? []).map(({ id: article, title }) => ({ id: article, name: title })),
    ...(playbooks.data ?? []).map(({ id: playbook, title }) => ({ id: playbook, name: title })),
    ...(members.data ?? []).map(({ id: member, username }) => ({ id: member, name: username })),
  ];
  return named.find((one) => one.id === id)?.name ?? null;
}
