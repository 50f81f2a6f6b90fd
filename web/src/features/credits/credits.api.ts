import {
  type AccountBalance,
  getTrialBalance,
  getUsage,
  getVerification,
  type LedgerEntry,
  listLedgerEntries,
  listLedgerGroups,
  listLimits,
  setLimit,
  startVerification,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  actOnTestPayment,
  confirmPurchase,
  getBillingSettings,
  listPackages,
  listPayments,
  purchaseCredits,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { listStatements } from '@tallyhand/contracts/features/credits/statements.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import type { Order } from '@tallyhand/contracts/kernel/lists';
import { api, change, read } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { readPages } from '../../app/pages.ts';

const LEDGER_PAGE_LENGTH = 50;

/** What was at a moment stays as it is; what is now changes with the ledger. */
const tagsAt = (_result: unknown, _error: unknown, { asOf }: { asOf?: string }) =>
  asOf === undefined ? (['credits'] as const) : [];

const paymentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    getBillingSettings: build.query(read(getBillingSettings)),
    listPackages: build.query(read(listPackages)),
    listPayments: build.query(read(listPayments, ['credits'])),
    purchaseCredits: build.mutation(change(purchaseCredits, ['credits'])),
    confirmPurchase: build.mutation(change(confirmPurchase, ['credits'])),
    actOnTestPayment: build.mutation(change(actOnTestPayment, ['credits'])),
  }),
});

const ledgerApi = api.injectEndpoints({
  endpoints: (build) => ({
    listLedger: build.infiniteQuery(
      readPages<typeof listLedgerGroups, { order: Order; entry?: string }>(
        listLedgerGroups,
        LEDGER_PAGE_LENGTH,
        ['credits'],
      ),
    ),
    /** The first entry of the ledger, which nothing comes before. */
    getLedgerBeginning: build.query<LedgerEntry | null, void>({
      query: () => call(listLedgerEntries, { order: 'oldest', limit: 1 }),
      transformResponse: ([first]: LedgerEntry[]) => first ?? null,
    }),
    /** Without a moment as it is now. */
    getBalanceAt: build.query<Organization, { asOf?: string }>({
      ...read(getOrganization),
      providesTags: tagsAt,
    }),
    /** The newest entries until a moment, or until now. */
    listLedgerUntil: build.query<LedgerEntry[], { asOf?: string; limit: number }>({
      ...read(listLedgerEntries),
      providesTags: tagsAt,
    }),
    listStatements: build.query(read(listStatements)),
    /** Without a moment as it is now. */
    getTrialBalance: build.query<AccountBalance[], { asOf?: string }>({
      ...read(getTrialBalance),
      providesTags: tagsAt,
    }),
    getUsage: build.query(read(getUsage, ['credits'])),
    listLimits: build.query(read(listLimits, ['credits'])),
    setLimit: build.mutation(change(setLimit, ['credits'])),
    getVerification: build.query(read(getVerification)),
    startVerification: build.mutation(change(startVerification)),
  }),
});

export const {
  useGetBillingSettingsQuery,
  useListPackagesQuery,
  useListPaymentsQuery,
  usePurchaseCreditsMutation,
  useConfirmPurchaseMutation,
  useActOnTestPaymentMutation,
} = paymentsApi;

export const {
  useListLedgerInfiniteQuery,
  useGetLedgerBeginningQuery,
  useGetBalanceAtQuery,
  useListLedgerUntilQuery,
  useListStatementsQuery,
  useGetTrialBalanceQuery,
  useGetUsageQuery,
  useListLimitsQuery,
  useSetLimitMutation,
  useGetVerificationQuery,
  useStartVerificationMutation,
} = ledgerApi;
