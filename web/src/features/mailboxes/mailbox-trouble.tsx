import { TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useListAllMailboxesQuery } from './mailboxes.api.ts';
import { useFailureWords } from './use-failure-words.ts';

/** What is wrong with the mailboxes of an agent, for its card; nothing where all work. */
export function MailboxTrouble({ agentId }: { agentId: string }) {
  const { t } = useTranslation('mailboxes');
  const failureWords = useFailureWords();
  const { data = [] } = useListAllMailboxesQuery();
  const failing = data.filter((one) => one.agentId === agentId && one.status === 'failing');
  return failing.map(({ id, emailAddress, lastError, lastErrorCode }) => (
    <p key={id} className="flex items-start gap-1.5 text-xs text-danger">
      <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0 break-words">
        {t('trouble', {
          address: emailAddress,
          error: failureWords(lastErrorCode, lastError ?? ''),
        })}
      </span>
    </p>
  ));
}
