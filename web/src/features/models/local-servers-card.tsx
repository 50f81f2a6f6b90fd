import { MODEL_PROVIDERS } from '@tallyhand/contracts/features/models/model-providers';
import {
  createConnection,
  type LocalServer,
} from '@tallyhand/contracts/features/models/models.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { Plus } from 'lucide-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import {
  useCreateConnectionMutation,
  useFindLocalServersMutation,
  useListConnectionsQuery,
} from './models.api.ts';

/** Model servers on this computer that are not connected yet. */
export function LocalServersCard() {
  const { role } = useCurrentUser();
  const mayConnect = mayCall(role, createConnection);
  const { data: connections } = useListConnectionsQuery();
  const [find, { data: found = [] }] = useFindLocalServersMutation();
  useEffect(() => {
    if (mayConnect) find();
  }, [find, mayConnect]);
  if (!connections) return null;
  const fresh = found.filter((server) =>
    connections.every(({ baseUrl }) => baseUrl !== server.baseUrl),
  );
  return fresh.map((server) => <Offer key={server.provider} server={server} />);
}

function Offer({ server }: { server: LocalServer }) {
  const { t } = useTranslation('models');
  const announce = useAnnounce();
  const [create, { isLoading }] = useCreateConnectionMutation();
  const { name } = MODEL_PROVIDERS[server.provider];
  const connect = () =>
    announce(create({ ...server, name }), {
      done: t('local.connected', { name }),
      failed: t('local.failed', { name }),
    });
  return (
    <Card className="mb-6 flex flex-wrap items-center justify-between gap-4">
      <div className="min-w-0">
        <h2 className="font-semibold">{t('local.title', { name })}</h2>
        <p className="break-words text-muted">
          {t('local.models', { models: server.models.join(', ') })}
        </p>
      </div>
      <Button icon={Plus} pending={isLoading} onClick={connect}>
        {t('local.connect', { name })}
      </Button>
    </Card>
  );
}
