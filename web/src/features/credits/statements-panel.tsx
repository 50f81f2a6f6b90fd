import type { AccountBalance } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { exportLedger } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { exportPayments } from '@tallyhand/contracts/features/credits/payments.endpoints';
import {
  exportStatement,
  getStatementPdf,
  getStatementSignature,
  type Statement,
  type StatementFormat,
} from '@tallyhand/contracts/features/credits/statements.endpoints';
import { Download, FileText } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Loaded, NotLoaded } from '../../app/loaded.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { DayFields, isReversed } from '../../ui/filter-sheet.tsx';
import { dateFormat } from '../../ui/formats.ts';
import type { Days } from '../../ui/periods.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { useGetTrialBalanceQuery, useListStatementsQuery } from './credits.api.ts';
import { useFormats } from './use-formats.ts';

/** What an accountant needs at the end of a month. */
export function StatementsPanel() {
  return (
    <>
      <StatementsCard />
      <TrialBalanceCard />
      <PeriodCard />
    </>
  );
}

function StatementsCard() {
  const { t } = useTranslation('credits');
  return (
    <CardSection title={t('statements.title')}>
      <p className="-mt-2 mb-3 max-w-[68ch] text-muted">{t('statements.description')}</p>
      <Loaded
        query={useListStatementsQuery()}
        loading={{ label: t('statements.loading'), count: 3, skeleton: 'h-8' }}
      >
        {(statements) => <Statements statements={statements} />}
      </Loaded>
    </CardSection>
  );
}

function Statements({ statements }: { statements: readonly Statement[] }) {
  const { t } = useTranslation('credits');
  const monthName = useMonthName();
  if (statements.length === 0) {
    return (
      <EmptyState
        icon={FileText}
        title={t('statements.empty')}
        description={t('statements.emptyDescription')}
      />
    );
  }
  return (
    <Table
      label={t('statements.title')}
      columns={[{ key: 'month', header: t('statements.month'), cell: monthName }]}
      rows={statements}
      rowKey={({ month }) => month}
      actionsLabel={t('statements.files')}
      actions={(statement) => <StatementFiles statement={statement} />}
    />
  );
}

function useMonthName() {
  const { i18n } = useTranslation();
  const format = dateFormat(i18n.language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return ({ startsAt }: Statement) => format.format(new Date(startsAt));
}

const FILES = [
  { format: 'pdf', file: getStatementPdf },
  { format: 'csv', file: exportStatement },
] as const;

/** Each file, and its signature. */
function StatementFiles({ statement }: { statement: Statement }) {
  const { t } = useTranslation('credits');
  const { month } = statement;
  const name = useMonthName()(statement);
  return (
    <span className="flex flex-wrap justify-end gap-1 sm:flex-nowrap">
      {FILES.map(({ format, file }) => (
        <FileLink
          key={format}
          path={withQuery(file.path, { month })}
          fileName={`statement-${month}.${format}`}
          label={t(`statements.${format}`)}
          of={t('statements.of', { month: name })}
        />
      ))}
      {FILES.map(({ format }) => (
        <FileLink
          key={format}
          path={withQuery(getStatementSignature.path, { month, format })}
          fileName={signatureName(month, format)}
          label={t(`statements.signatures.${format}`)}
          of={t('statements.of', { month: name })}
        />
      ))}
    </span>
  );
}

type FileLinkProps = { path: string; fileName: string; label: string; of: string };

function FileLink({ path, fileName, label, of }: FileLinkProps) {
  return (
    <ButtonLink size="sm" variant="ghost" href={path} download={fileName}>
      {label}
      <span className="sr-only"> {of}</span>
    </ButtonLink>
  );
}

const signatureName = (month: string, format: StatementFormat) =>
  `statement-${month}.${format}.signature.json`;

const withQuery = (path: string, query: Record<string, string>) =>
  `${path}?${new URLSearchParams(query)}`;

/** The accounts at the end of a day, or now. */
function TrialBalanceCard() {
  const { t } = useTranslation('credits');
  const [day, setDay] = useState('');
  const today = new Date().toISOString().slice(0, 10);
  const isFuture = day > today;
  return (
    <CardSection title={t('trial.title')}>
      <p className="-mt-2 mb-3 max-w-[68ch] text-muted">{t('trial.description')}</p>
      <div className="mb-4 max-w-60">
        <Field
          label={t('trial.day')}
          help={t('trial.help')}
          {...(isFuture && { error: t('trial.future') })}
        >
          <Input
            type="date"
            name="day"
            max={today}
            value={day}
            onChange={({ target }) => setDay(target.value)}
          />
        </Field>
      </div>
      {!isFuture && <TrialBalance day={day === today ? '' : day} />}
    </CardSection>
  );
}

function TrialBalance({ day }: { day: string }) {
  const { t } = useTranslation('credits');
  const asked = day === '' ? {} : { asOf: `${day}T23:59:59.999Z` };
  const { currentData: accounts, error, refetch } = useGetTrialBalanceQuery(asked);
  const columns = useAccountColumns();
  if (!accounts) {
    return (
      <NotLoaded query={{ error, refetch }} label={t('trial.loading')} count={7} skeleton="h-8" />
    );
  }
  const total = (side: 'debits' | 'credits') => accounts.reduce((sum, one) => sum + one[side], 0);
  return (
    <Table
      narrow
      label={t('trial.title')}
      columns={columns}
      rows={[...accounts, { account: '', debits: total('debits'), credits: total('credits') }]}
      rowKey={({ account }) => account}
    />
  );
}

function useAccountColumns(): Column<AccountBalance>[] {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const look = (account: string) => (account === '' ? 'font-semibold' : undefined);
  return [
    {
      key: 'account',
      header: t('trial.account'),
      className: 'w-full',
      cell: ({ account }) => (
        <span className={look(account)}>
          {account === '' ? t('trial.total') : t(`trial.accounts.${account as 'available'}`)}
        </span>
      ),
    },
    {
      key: 'debits',
      header: t('trial.debits'),
      numeric: true,
      cell: ({ account, debits }) => <span className={look(account)}>{number(debits)}</span>,
    },
    {
      key: 'credits',
      header: t('trial.credits'),
      numeric: true,
      cell: ({ account, credits }) => <span className={look(account)}>{number(credits)}</span>,
    },
  ];
}

/** Ledger and payments of some days as CSV. */
function PeriodCard() {
  const { t } = useTranslation('credits');
  const [days, setDays] = useState<Days>({});
  const { from, to } = days;
  const query = { ...(from && { from }), ...(to && { to }) };
  const files = [
    [exportLedger, t('period.ledger')],
    [exportPayments, t('period.payments')],
  ] as const;
  return (
    <CardSection title={t('period.title')}>
      <p className="-mt-2 mb-3 max-w-[68ch] text-muted">{t('period.description')}</p>
      <div className="max-w-md">
        <DayFields days={days} setDays={setDays} />
      </div>
      <div className="mt-4 flex flex-wrap gap-2">
        {files.map(([file, label]) =>
          isReversed(days) ? (
            <Button key={label} icon={Download} disabled>
              {label}
            </Button>
          ) : (
            <ButtonLink key={label} icon={Download} href={withQuery(file.path, query)} download>
              {label}
            </ButtonLink>
          ),
        )}
      </div>
    </CardSection>
  );
}
