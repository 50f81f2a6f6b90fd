import { listApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { listAllMailboxes } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { listConnections } from '@tallyhand/contracts/features/models/models.endpoints';
import { listTickets } from '@tallyhand/contracts/features/support/support.endpoints';
import { listMembers } from '@tallyhand/contracts/features/team/team.endpoints';
import { listWebhooks } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { MEMBERS, mayCall } from '@tallyhand/contracts/kernel/access';
import type { AnyEndpoint } from '../../app/base-query.ts';
import { Link } from '../../ui/link.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useListApiKeysQuery } from '../api-keys/api-keys.api.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useListArticlesQuery } from '../knowledge/knowledge.api.ts';
import { useListAllMailboxesQuery } from '../mailboxes/mailboxes.api.ts';
import { useListConnectionsQuery } from '../models/models.api.ts';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { useListTicketsInfiniteQuery } from '../support/support.api.ts';
import { useListMembersQuery } from '../team/team.api.ts';
import { useListToolsQuery } from '../tools/tools.api.ts';
import { useListWebhooksQuery } from '../webhooks/webhooks.api.ts';
import { useAuditWords } from './audit-words.ts';
import { auditorAddressOf, historyAddressOf } from './audited-address.ts';
import { isBareId, type ObjectRef } from './named-objects.ts';

/** Kinds whose entries come without a name: their own lists have it. */
const LISTED = ['mailbox', 'ticket', 'webhook'];

/** A link to what an entry is about, with its name. */
export function ObjectLink({ object }: { object: AuditEntry['object'] }) {
  if (object.name === null && LISTED.includes(object.kind)) return <ListedObject object={object} />;
  return <NamedLink object={object} />;
}

function ListedObject({ object }: { object: AuditEntry['object'] }) {
  return <NamedLink object={{ ...object, name: useNameOf(object) }} />;
}

function NamedLink({ object }: { object: AuditEntry['object'] }) {
  const name = useAuditWords().object(object);
  const { role } = useCurrentUser();
  const address = mayCall(role, MEMBERS) ? historyAddressOf(object) : auditorAddressOf(object);
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
  const { actorKind } = useAuditWords();
  // A member's place may also be taken by a code, such as `operator`.
  if (object.kind === 'member' && name === null && !isBareId(object.id)) {
    return <p>{actorKind(object.id)}</p>;
  }
  return (
    <p className="flex">
      <NamedLink object={{ ...object, name }} />
    </p>
  );
}

/** Null for an object without a name, or one that was deleted. */
function useNameOf({ kind, id }: ObjectRef): string | null {
  const { role } = useCurrentUser();
  const only = (wanted: string, list?: AnyEndpoint) => ({
    skip: kind !== wanted || (list !== undefined && !mayCall(role, list)),
  });
  const agents = useListAgentsQuery(undefined, only('agent'));
  const apiKeys = useListApiKeysQuery(undefined, only('apikey', listApiKeys));
  const articles = useListArticlesQuery(undefined, only('article'));
  const connections = useListConnectionsQuery(undefined, only('connection', listConnections));
  const mailboxes = useListAllMailboxesQuery(undefined, only('mailbox', listAllMailboxes));
  const members = useListMembersQuery(undefined, only('member', listMembers));
  const playbooks = useListPlaybooksQuery(undefined, only('playbook'));
  const tickets = useListTicketsInfiniteQuery(undefined, only('ticket', listTickets));
  const tools = useListToolsQuery(undefined, only('tool'));
  const webhooks = useListWebhooksQuery(undefined, only('webhook', listWebhooks));
  const named = [
    ...(agents.data ?? []),
    ...(apiKeys.data ?? []),
    ...(connections.data ?? []),
    ...(tools.data ?? []),
    ...(articles.data ?? []).map((article) => ({ id: article.id, name: article.title })),
    ...(mailboxes.data ?? []).map((mailbox) => ({ id: mailbox.id, name: mailbox.emailAddress })),
    ...(playbooks.data ?? []).map((playbook) => ({ id: playbook.id, name: playbook.title })),
    ...(members.data ?? []).map((member) => ({ id: member.id, name: member.username })),
    ...(tickets.data?.pages ?? [])
      .flatMap(({ entries }) => entries)
      .map((ticket) => ({ id: ticket.id, name: `${ticket.ticketNumber}: ${ticket.subject}` })),
    ...(webhooks.data ?? []).map((webhook) => ({ id: webhook.id, name: webhook.url })),
  ];
  return named.find((one) => one.id === id)?.name ?? null;
}
