import type { WebhookEndpoint } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { KeyRound, List, Pencil, Play, Power, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { MoreMenu } from '../../app/resource-list.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import {
  useChangeWebhookMutation,
  useRotateWebhookSecretMutation,
  useTestWebhookMutation,
} from './webhooks.api.ts';

export type WebhookActs = {
  edit: (webhook: WebhookEndpoint) => void;
  remove: (webhook: WebhookEndpoint) => void;
  showDeliveries: (webhook: WebhookEndpoint) => void;
  showSecret: (secret: string) => void;
};

export function WebhookMenu({ webhook, ...acts }: WebhookActs & { webhook: WebhookEndpoint }) {
  const { t } = useTranslation('developers');
  const { test, rotate, turn } = useActs(webhook, acts.showSecret);
  return (
    <MoreMenu label={t('webhooks.more', { url: webhook.url })}>
      <MenuItem icon={List} onSelect={() => acts.showDeliveries(webhook)}>
        {t('webhooks.deliveries')}
      </MenuItem>
      {webhook.isActive && (
        <MenuItem icon={Play} onSelect={test}>
          {t('webhooks.test')}
        </MenuItem>
      )}
      <MenuItem icon={Pencil} onSelect={() => acts.edit(webhook)}>
        {t('webhooks.edit')}
      </MenuItem>
      <MenuItem icon={KeyRound} onSelect={rotate}>
        {t('webhooks.rotate')}
      </MenuItem>
      <MenuItem icon={Power} onSelect={turn}>
        {webhook.isActive ? t('webhooks.disable') : t('webhooks.enable')}
      </MenuItem>
      <MenuItem icon={Trash2} danger onSelect={() => acts.remove(webhook)}>
        {t('webhooks.delete')}
      </MenuItem>
    </MoreMenu>
  );
}

function useActs({ id, isActive }: WebhookEndpoint, showSecret: WebhookActs['showSecret']) {
  const { t } = useTranslation('developers');
  const announce = useAnnounce();
  const [test] = useTestWebhookMutation();
  const [rotate] = useRotateWebhookSecretMutation();
  const turn = useTurnWebhook();
  return {
    test: () => announce(test(id), { done: t('toasts.tested'), failed: t('toasts.failed') }),
    rotate: async () => {
      const { data } = await announce(rotate(id), { failed: t('toasts.failed') });
      if (data) showSecret(data.secret);
    },
    turn: () => turn(id, !isActive),
  };
}

/** Turns a webhook on or off, and says so. */
export function useTurnWebhook() {
  const { t } = useTranslation('developers');
  const announce = useAnnounce();
  const [change] = useChangeWebhookMutation();
  return (id: string, isActive: boolean) =>
    announce(change({ id, change: { isActive } }), {
      done: isActive ? t('toasts.enabled') : t('toasts.disabled'),
      failed: t('toasts.failed'),
    });
}
