import {
  type AuditExport,
  type AuditKey,
  listAuditExports,
  listAuditKeys,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const auditExportsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listExports: build.query<AuditExport[], void>({ query: () => call(listAuditExports) }),
    startExport: build.mutation<AuditExport, BodyOf<typeof startAuditExport>>({
      query: (body) => call(startAuditExport, { body }),
    }),
    listAuditKeys: build.query<AuditKey[], void>({ query: () => call(listAuditKeys) }),
  }),
});

export const { useListExportsQuery, useStartExportMutation, useListAuditKeysQuery } =
  auditExportsApi;
