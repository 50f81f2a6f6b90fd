import type { WebhookEndpoint } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { EllipsisVertical, KeyRound, List, Pencil, Play, Power, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { DropdownMenu, MenuItem } from '../../ui/dropdown-menu.tsx';
import { HeaderButton } from '../../ui/header-button.tsx';
import { showToast } from '../../ui/toast.ts';
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
    <DropdownMenu
      trigger={
        <HeaderButton aria-label={t('webhooks.more', { url: webhook.url })}>
          <EllipsisVertical aria-hidden />
        </HeaderButton>
      }
    >
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
    </DropdownMenu>
  );
}

function useActs({ id, isActive }: WebhookEndpoint, showSecret: WebhookActs['showSecret']) {
  const { t } = useTranslation('developers');
  const [test] = useTestWebhookMutation();
  const [rotate] = useRotateWebhookSecretMutation();
  const turn = useTurnWebhook();
  const fail = (error: unknown) => {
    const description = describeProblem(t, error);
    showToast({ variant: 'destructive', title: t('toasts.failed'), description });
  };
  return {
    test: async () => {
      const { error } = await test(id);
      if (error) fail(error);
      else showToast({ title: t('toasts.tested') });
    },
    rotate: async () => {
      const { data, error } = await rotate(id);
      if (data) showSecret(data.secret);
      else fail(error);
    },
    turn: () => turn(id, !isActive),
  };
}

/** Turns a webhook on or off, and says so. */
export function useTurnWebhook() {
  const { t } = useTranslation('developers');
  const [change] = useChangeWebhookMutation();
  return async (id: string, isActive: boolean) => {
    const { error } = await change({ id, change: { isActive } });
    if (!error) {
      showToast({ title: isActive ? t('toasts.enabled') : t('toasts.disabled') });
      return;
    }
    const description = describeProblem(t, error);
    showToast({ variant: 'destructive', title: t('toasts.failed'), description });
  };
}
