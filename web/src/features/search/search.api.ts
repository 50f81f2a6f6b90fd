import { search } from '@tallyhand/contracts/features/search/search.endpoints';
import { api, read } from '../../app/api.ts';

const searchApi = api.injectEndpoints({
  endpoints: (build) => ({
    search: build.query(read(search)),
  }),
});

export const { useSearchQuery } = searchApi;
