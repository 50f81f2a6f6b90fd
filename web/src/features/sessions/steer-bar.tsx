import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { Hand, Undo2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { Button } from '../../ui/button.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { isKeptBy } from './session-filter.ts';
import { useHandBackSessionMutation, useTakeOverSessionMutation } from './sessions.api.ts';

/** Who steers, and the way to take over or hand back for those who may. */
export function SteerBar({ session, steers }: { session: Session; steers: string | null }) {
  const { t } = useTranslation('sessions');
  const user = useCurrentUser();
  const [takeOver, taking] = useTakeOverSessionMutation();
  const [handBack, handing] = useHandBackSessionMutation();
  const announce = useAnnounce();
  const mayTakeOver = steers === null && session.status === 'running' && isKeptBy(session, user);
  const mayHandBack = steers !== null && (steers === user.id || user.role === 'Admin');
  const name =
    (session.takenOverBy?.id === steers && session.takenOverBy?.name) || t('steer.somebody');
  const words = () => {
    if (steers === null) return t('steer.agent');
    return steers === user.id ? t('steer.you') : t('steer.other', { name });
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p role="status" className={steers === user.id ? 'font-medium' : 'text-muted'}>
        {words()}
      </p>
      {mayTakeOver && (
        <Button
          size="sm"
          pending={taking.isLoading}
          onClick={() => announce(takeOver(session.id), { failed: t('toasts.takeOverFailed') })}
        >
          <Hand aria-hidden />
          {t('steer.takeOver')}
        </Button>
      )}
      {mayHandBack && (
        <Button
          size="sm"
          variant="primary"
          pending={handing.isLoading}
          onClick={() => announce(handBack(session.id), { failed: t('toasts.handBackFailed') })}
        >
          <Undo2 aria-hidden />
          {t('steer.handBack')}
        </Button>
      )}
    </div>
  );
}
