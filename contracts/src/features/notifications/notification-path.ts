import type { Notification } from './notifications.endpoints.ts';

type Subject = Pick<Notification, 'kind' | 'params' | 'object'>;

/** The page of the web app that shows the subject of a notification. */
export function notificationPath({ kind, params, object }: Subject): string {
  switch (kind) {
    case 'task-failed':
    case 'session-ended':
      return pathOfWork(object);
    case 'approval-needed':
      // The conversation itself is the member's own.
      return object.kind === 'conversation' ? '/approvals' : pathOfWork(object);
    case 'mailbox-failing':
      return '/agents';
    case 'webhook-disabled':
      return '/developers';
    case 'log-stream-failing':
      return '/audit?exports=open';
    case 'tool-credentials-dropped':
      return '/tools';
    case 'agent-status':
      // The history of a deleted agent offers to restore it.
      return params.status === 'deleted'
        ? `/agents?history=${object.id}`
        : `/agents/${object.id}/execute`;
    case 'invitation-accepted':
      return '/team';
    case 'low-credits':
    case 'payment':
      return '/billing';
  }
}

const pathOfWork = ({ kind, id }: Notification['object']) =>
  kind === 'session' ? `/autonomous?session=${id}` : `/tasks?task=${id}`;
