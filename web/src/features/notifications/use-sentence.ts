import type { Notification } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { useTranslation } from 'react-i18next';
import { numberFormat } from '../../ui/formats.ts';

type Subject = Pick<Notification, 'kind' | 'params'>;

const STATUSES = ['paused', 'activated', 'deleted', 'restored'] as const;
const ENDS = ['completed', 'failed', 'terminated'] as const;
const PAYMENTS = ['succeeded', 'failed', 'refunded', 'disputed'] as const;

/** One of the words that there are texts for; a newer server's own is read as the first. */
const known = <W extends string>(words: readonly [W, ...W[]], word: unknown): W =>
  words.find((each) => each === word) ?? words[0];

/** Says a notification in one sentence. */
export function useSentence() {
  const { t, i18n } = useTranslation('notifications');

  function amountOf({ cents, currency }: Subject['params']): string {
    if (typeof cents !== 'number' || typeof currency !== 'string') return '';
    const money = numberFormat(i18n.language, { style: 'currency', currency });
    return money.format(cents / 100);
  }

  return ({ kind, params }: Subject): string => {
    const agent = String(params.agentName ?? t('anAgent'));
    const member = params.memberName === undefined ? null : String(params.memberName);
    switch (kind) {
      case 'low-credits': {
        const count = Number(params.available);
        if (count <= 0) return t('sentence.noCredits');
        return t('sentence.lowCredits', {
          count,
          formatted: numberFormat(i18n.language).format(count),
        });
      }
      case 'task-failed':
        return t('sentence.taskFailed', { agent });
      case 'approval-needed':
        return params.operation === undefined
          ? t('sentence.formNeedsApproval', { agent, tool: String(params.tool) })
          : t('sentence.approvalNeeded', {
              agent,
              tool: String(params.tool),
              operation: String(params.operation),
            });
      case 'session-ended':
        return t(`sentence.session.${known(ENDS, params.status)}`, { agent });
      case 'agent-status': {
        const status = known(STATUSES, params.status);
        return member === null
          ? t(`sentence.agent.${status}`, { agent })
          : t(`sentence.agentBy.${status}`, { agent, member });
      }
      case 'mailbox-failing':
        return params.status === 'paused'
          ? t('sentence.mailboxPaused', { agent })
          : t('sentence.mailboxFailed', { agent });
      case 'webhook-disabled':
        return t('sentence.webhookDisabled');
      case 'log-stream-failing':
        return t('sentence.logStreamFailing', { receiver: String(params.receiver) });
      case 'tool-credentials-dropped':
        // Of a tool that was deleted since.
        if (params.toolName === undefined) return t('sentence.toolCredentials');
        return t(
          params.reason === 'refused' ? 'sentence.toolSignInOf' : 'sentence.toolCredentialsOf',
          { tool: String(params.toolName) },
        );
      case 'invitation-accepted':
        return t('sentence.invitationAccepted', { member: member ?? t('somebody') });
      case 'payment':
        return t(`sentence.payment.${known(PAYMENTS, params.status)}`, {
          amount: amountOf(params),
        });
    }
  };
}
