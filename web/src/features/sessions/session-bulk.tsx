import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { CircleStop } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { BulkBar, type BulkState } from '../../app/bulk-bar.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { isOpen, mayControl } from './session-address.ts';
import { useTerminateSessionMutation } from './sessions.api.ts';

/** Terminates several sessions: members their own, Admins all. */
export function SessionBulkBar(state: BulkState<Session>) {
  const { t } = useTranslation('bulk');
  const user = useCurrentUser();
  const [terminate] = useTerminateSessionMutation();
  return (
    <BulkBar
      {...state}
      nameOf={({ originalGoal }) => originalGoal}
      actions={[
        {
          key: 'terminate',
          icon: CircleStop,
          label: (n) => t('terminate.action', { n }),
          appliesTo: (session) => isOpen(session) && mayControl(session, user),
          ask: {
            title: (n) => t('terminate.title', { n }),
            description: t('terminate.description'),
            cancelLabel: t('terminate.keep'),
            variant: 'destructive',
          },
          run: ({ id }) => terminate(id),
          done: (n) => t('terminate.done', { n }),
        },
      ]}
    />
  );
}
