import { getReceipt, type Payment } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { Download, FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { DropdownMenu, MenuItem } from '../../ui/dropdown-menu.tsx';
import { dateFormat } from '../../ui/formats.ts';
import { HeaderButton } from '../../ui/header-button.tsx';
import { useActOnTestPaymentMutation } from './credits.api.ts';
import { type TestAction, testActionsOf } from './test-actions.ts';
import { useConfirmPayment } from './use-confirm-payment.ts';
import { useContinueCheckout } from './use-purchase.ts';

/** Goes on with a pending payment, gives the receipt of a paid one, and tries out the rest. */
export function PaymentActions({ payment }: { payment: Payment }) {
  const { t, i18n } = useTranslation('credits');
  const date = dateFormat(i18n.language, {
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(new Date(payment.createdAt));
  const actions = testActionsOf(payment);
  return (
    <div className="flex items-center justify-end gap-1 max-sm:flex-row-reverse">
      {actions.length > 0 && <TestMenu id={payment.id} actions={actions} date={date} />}
      {payment.status === 'pending' && <Continue payment={payment} date={date} />}
      {payment.hasReceipt && (
        <ButtonLink size="sm" variant="ghost" className="sm:-mr-3">
          <a href={pathOf(getReceipt, { id: payment.id })} download>
            <Download aria-hidden />
            {t('payments.download')}
            <span className="sr-only"> {t('payments.downloadOf', { date })}</span>
          </a>
        </ButtonLink>
      )}
    </div>
  );
}

/** To where the payment is completed, or, where there is no such place, another look at it. */
function Continue({ payment, date }: { payment: Payment; date: string }) {
  const { t } = useTranslation('credits');
  const { id, checkoutUrl, creditsPurchased } = payment;
  const continueCheckout = useContinueCheckout();
  const confirm = useConfirmPayment();
  const [asking, setAsking] = useState(false);
  const goOn = async () => {
    if (checkoutUrl && continueCheckout(checkoutUrl)) return;
    setAsking(true);
    await confirm({ id, credits: creditsPurchased });
    setAsking(false);
  };
  return (
    <Button size="sm" pending={asking} onClick={() => void goOn()}>
      {checkoutUrl ? t('payments.continue') : t('payments.check')}
      <span className="sr-only"> {t('payments.of', { date })}</span>
    </Button>
  );
}

function TestMenu({
  id,
  actions,
  date,
}: {
  id: string;
  actions: readonly TestAction[];
  date: string;
}) {
  const { t } = useTranslation('credits');
  const [act] = useActOnTestPaymentMutation();
  const announce = useAnnounce();
  const send = (action: TestAction) =>
    announce(act({ id, action }), { done: t('toasts.testSent'), failed: t('toasts.testFailed') });
  return (
    <DropdownMenu
      trigger={
        <HeaderButton aria-label={t('payments.testMenu', { date })}>
          <FlaskConical aria-hidden />
        </HeaderButton>
      }
    >
      {actions.map((action) => (
        <MenuItem key={action} onSelect={() => void send(action)}>
          {t(`payments.testActions.${action}`)}
        </MenuItem>
      ))}
    </DropdownMenu>
  );
}
