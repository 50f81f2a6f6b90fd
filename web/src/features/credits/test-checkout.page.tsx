import {
  actOnTestPayment,
  type Payment,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router-dom';
import { NotLoaded } from '../../app/loaded.tsx';
import { Page, RestrictedPage } from '../../app/page.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useActOnTestPaymentMutation, useListPaymentsQuery } from './credits.api.ts';
import { useFormats } from './use-formats.ts';
import { usePurchaseFailed } from './use-purchase.ts';

/** What a bank's page would ask, with the test provider: whether the person is the card's owner. */
export function TestCheckoutPage() {
  const { t } = useTranslation('credits');
  const instead = { title: t('restricted.title'), description: t('restricted.description') };
  return (
    <RestrictedPage needs={actOnTestPayment} title={t('checkout.title')} instead={instead}>
      <Page narrow title={t('checkout.title')} description={t('checkout.description')}>
        <Card className="p-6">
          <Checkout />
        </Card>
      </Page>
    </RestrictedPage>
  );
}

function Checkout() {
  const { t } = useTranslation('credits');
  const { id } = useParams();
  const { data: payments, error, refetch } = useListPaymentsQuery();
  if (!payments)
    return (
      <NotLoaded
        query={{ error, refetch }}
        label={t('checkout.loading')}
        count={4}
        skeleton="h-6"
      />
    );
  const payment = payments.find((it) => it.id === id);
  if (payment?.provider !== 'test') return <Ended text={t('checkout.unknown')} />;
  if (payment.status !== 'pending') return <Ended text={t('checkout.ended')} />;
  return <Authentication payment={payment} />;
}

function Ended({ text }: { text: string }) {
  const { t } = useTranslation('credits');
  return (
    <>
      <p>{text}</p>
      <ButtonLink variant="primary" className="mt-4 max-sm:w-full" to="/billing">
        {t('checkout.back')}
      </ButtonLink>
    </>
  );
}

function Authentication({ payment }: { payment: Payment }) {
  const { t } = useTranslation('credits');
  const { number, money } = useFormats();
  const navigate = useNavigate();
  const failed = usePurchaseFailed();
  const [act] = useActOnTestPaymentMutation();
  const [sending, setSending] = useState<'authenticate' | 'fail-authentication'>();
  const { id, packageName, creditsPurchased, amount, currency } = payment;
  const answer = async (action: NonNullable<typeof sending>) => {
    if (sending) return;
    setSending(action);
    const { error } = await act({ id, action });
    setSending(undefined);
    if (error) failed(error);
    // Either way the billing page asks how it ended, as it does after the provider's own page.
    else navigate(`/billing?payment=${id}&outcome=success`, { replace: true });
  };
  const facts = [
    [t('checkout.package'), packageName],
    [t('checkout.credits'), number(creditsPurchased)],
    [t('checkout.amount'), money(amount, currency, 2)],
  ];
  return (
    <>
      <p className="flex items-start gap-2 rounded-lg bg-sunken p-3 font-medium">
        <FlaskConical aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
        {t('purchase.testMode')}
      </p>
      <dl className="my-4 flex flex-col divide-y divide-line">
        {facts.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-4 py-2">
            <dt className="text-muted">{name}</dt>
            <dd className="tabular">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-col gap-2 sm:flex-row">
        <Button
          variant="primary"
          pending={sending === 'authenticate'}
          disabled={sending === 'fail-authentication'}
          onClick={() => void answer('authenticate')}
        >
          {t('checkout.complete')}
        </Button>
        <Button
          pending={sending === 'fail-authentication'}
          disabled={sending === 'authenticate'}
          onClick={() => void answer('fail-authentication')}
        >
          {t('checkout.fail')}
        </Button>
        <ButtonLink variant="ghost" to={`/billing?payment=${id}&outcome=cancelled`} replace>
          {t('checkout.cancel')}
        </ButtonLink>
      </div>
    </>
  );
}
