import type { SignIn } from '@tallyhand/contracts/features/identity/account.endpoints';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import {
  useEndOtherSignInsMutation,
  useEndSignInMutation,
  useListSignInsQuery,
} from '../identity/account.api.ts';
import { DeviceName } from './device-name.tsx';

export function SignInsCard() {
  const { t } = useTranslation('settings');
  const { data: signIns, error, refetch } = useListSignInsQuery();
  const [endOthers, { isLoading }] = useEndOtherSignInsMutation();
  const announce = useAnnounce();
  return (
    <CardSection
      title={t('signIns.title')}
      actions={
        signIns &&
        signIns.length > 1 && (
          <Button
            size="sm"
            pending={isLoading}
            onClick={() =>
              announce(endOthers(), {
                done: t('signIns.othersEnded'),
                failed: t('signIns.failed'),
              })
            }
          >
            {t('signIns.endOthers')}
          </Button>
        )
      }
    >
      {!signIns && (
        <NotLoaded
          error={error}
          refetch={refetch}
          label={t('signIns.loading')}
          count={2}
          skeleton="h-12"
          className="flex flex-col gap-3"
        />
      )}
      {signIns && (
        <ul className="divide-y divide-line">
          {signIns.map((signIn) => (
            <SignInRow key={signIn.id} signIn={signIn} />
          ))}
        </ul>
      )}
    </CardSection>
  );
}

function SignInRow({ signIn }: { signIn: SignIn }) {
  const { t } = useTranslation('settings');
  const [end, { isLoading }] = useEndSignInMutation();
  const announce = useAnnounce();
  const { id, device, address, startedAt, lastSeenAt, isCurrent } = signIn;
  return (
    <li className="flex items-center justify-between gap-3 py-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <DeviceName device={device} />
          {isCurrent && <Badge tone="accent">{t('signIns.current')}</Badge>}
        </p>
        <p className="text-xs break-words text-muted">
          {address && <span>{address} · </span>}
          {t('signIns.started')} <RelativeTime at={startedAt} /> · {t('signIns.seen')}{' '}
          <RelativeTime at={lastSeenAt} />
        </p>
      </div>
      {!isCurrent && (
        <Button
          size="sm"
          pending={isLoading}
          onClick={() =>
            announce(end(id), { done: t('signIns.ended'), failed: t('signIns.failed') })
          }
        >
          {t('signIns.end')}
        </Button>
      )}
    </li>
  );
}
