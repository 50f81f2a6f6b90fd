import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';

/** Where what an entry is about is shown, or null where it has no page. */
export function addressOf({ kind, id }: AuditEntry['object']): string | null {
  switch (kind) {
    case 'agent':
      return `/agents/${id}/execute`;
    case 'article':
      return `/knowledge?article=${id}`;
    case 'playbook':
      return `/knowledge?tab=playbooks&playbook=${id}`;
    case 'task':
      return `/tasks?task=${id}`;
    case 'session':
      return `/autonomous?session=${id}`;
    case 'tool':
      return `/tools?history=${id}`;
    case 'connection':
      return `/settings/models?history=${id}`;
    case 'member':
    case 'invitation':
      return '/team';
    case 'ticket':
      return '/support';
    case 'apikey':
    case 'webhook':
      return '/developers';
    case 'payment':
      return '/billing';
    default:
      return null;
  }
}

/** Where its changes are shown, also after it was deleted; else where it is shown. */
export function historyAddressOf(object: AuditEntry['object']): string | null {
  const address = addressOf(object);
  switch (object.kind) {
    case 'agent':
      return `/agents?history=${object.id}`;
    case 'article':
    case 'playbook':
      return `${address}&view=history`;
    default:
      return address;
  }
}

/** As `historyAddressOf`, where an Auditor finds it. */
export function auditorAddressOf({ kind, id }: AuditEntry['object']): string | null {
  switch (kind) {
    case 'agent':
    case 'article':
    case 'playbook':
    case 'tool':
      return `/histories?kind=${kind}&id=${id}`;
    default:
      return null;
  }
}
