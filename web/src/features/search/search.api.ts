import { type SearchGroup, search } from '@tallyhand/contracts/features/search/search.endpoints';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const searchApi = api.injectEndpoints({
  endpoints: (build) => ({
    search: build.query<SearchGroup[], string>({
      query: (q) => call(search, { query: { q } }),
    }),
  }),
});

export const { useSearchQuery } = searchApi;
