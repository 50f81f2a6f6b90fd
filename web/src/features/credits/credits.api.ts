import {
  listRecordedEvents,
  type RecordedEvent,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  getUsage,
  getVerification,
  type LedgerEntry,
  listLedgerEntries,
  listLimits,
  type SpendLimit,
  type SpendLimitInput,
  setLimit,
  startVerification,
  type UsageQuery,
  type UsageRow,
  type Verification,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  actOnTestPayment,
  confirmPurchase,
  getBillingSettings,
  listPackages,
  listPayments,
  type Package,
  type Payment,
  type PurchaseInput,
  purchaseCredits,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import type { AnswerOf, BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import type { Order } from '@tallyhand/contracts/kernel/lists';
import type { z } from 'zod';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';

const LEDGER_PAGE_LENGTH = 50;

type Purchase = z.input<typeof PurchaseInput>;
type TestAction = { id: string } & BodyOf<typeof actOnTestPayment>;

const paymentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    getBillingSettings: build.query<AnswerOf<typeof getBillingSettings>, void>({
      query: () => call(getBillingSettings),
    }),
    listPackages: build.query<Package[], void>({ query: () => call(listPackages) }),
    listPayments: build.query<Payment[], void>({
      query: () => call(listPayments),
      providesTags: ['credits'],
    }),
    purchaseCredits: build.mutation<AnswerOf<typeof purchaseCredits>, Purchase>({
      query: (body) => call(purchaseCredits, { body }),
      invalidatesTags: ['credits'],
    }),
    confirmPurchase: build.mutation<
      AnswerOf<typeof confirmPurchase>,
      BodyOf<typeof confirmPurchase>
    >({
      query: (body) => call(confirmPurchase, { body }),
      invalidatesTags: ['credits'],
    }),
    actOnTestPayment: build.mutation<AnswerOf<typeof actOnTestPayment>, TestAction>({
      query: ({ id, action }) => call(actOnTestPayment, { params: { id }, body: { action } }),
      invalidatesTags: ['credits'],
    }),
  }),
});

const ledgerApi = api.injectEndpoints({
  endpoints: (build) => ({
    listLedger: build.infiniteQuery<ListPage<LedgerEntry>, Order, string | null>({
      query: ({ queryArg: order, pageParam }) =>
        call(listLedgerEntries, { query: { order, ...pageAt(LEDGER_PAGE_LENGTH, pageParam) } }),
      ...inPages<LedgerEntry>(),
      providesTags: ['credits'],
    }),
    /** The first entry of the ledger, which nothing comes before. */
    getLedgerBeginning: build.query<RecordedEvent | null, void>({
      query: () => call(listRecordedEvents, { query: { kind: 'ledger', limit: 1 } }),
      transformResponse: ([first]: RecordedEvent[]) => first ?? null,
    }),
    /** Without a moment as it is now. */
    getBalanceAt: build.query<Organization, string | null>({
      query: (at) => call(getOrganization, at === null ? {} : { query: { asOf: at } }),
      providesTags: (_, __, at) => (at === null ? ['credits'] : []),
    }),
    /** The newest entries until a moment, or until now. */
    listLedgerUntil: build.query<LedgerEntry[], { at: string | null; limit: number }>({
      query: ({ at, limit }) =>
        call(listLedgerEntries, { query: { limit, ...(at !== null && { asOf: at }) } }),
      providesTags: (_, __, { at }) => (at === null ? ['credits'] : []),
    }),
    getUsage: build.query<UsageRow[], z.input<typeof UsageQuery>>({
      query: (query) => call(getUsage, { query }),
      providesTags: ['credits'],
    }),
    listLimits: build.query<SpendLimit[], void>({
      query: () => call(listLimits),
      providesTags: ['credits'],
    }),
    setLimit: build.mutation<AnswerOf<typeof setLimit>, z.input<typeof SpendLimitInput>>({
      query: (body) => call(setLimit, { body }),
      invalidatesTags: ['credits'],
    }),
    getVerification: build.query<Verification, void>({
      query: () => call(getVerification),
    }),
    startVerification: build.mutation<AnswerOf<typeof startVerification>, void>({
      query: () => call(startVerification),
    }),
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
  useGetUsageQuery,
  useListLimitsQuery,
  useSetLimitMutation,
  useGetVerificationQuery,
  useStartVerificationMutation,
} = ledgerApi;
