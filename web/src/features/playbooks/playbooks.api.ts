import {
  changePlaybook,
  createPlaybook,
  getPlaybook,
  listPlaybooks,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import type {
  PlaybookChange,
  PlaybookInput,
} from '@tallyhand/contracts/features/playbooks/playbooks.fields';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const playbooksApi = api.injectEndpoints({
  endpoints: (build) => ({
    listPlaybooks: build.query<Playbook[], void>({
      query: () => call(listPlaybooks),
      providesTags: ['playbooks'],
    }),
    getPlaybook: build.query<Playbook, string>({
      query: (id) => call(getPlaybook, { params: { id } }),
      providesTags: ['playbooks'],
    }),
    createPlaybook: build.mutation<Playbook, PlaybookInput>({
      query: (body) => call(createPlaybook, { body }),
      invalidatesTags: ['playbooks'],
    }),
    changePlaybook: build.mutation<Playbook, { id: string; change: PlaybookChange }>({
      query: ({ id, change }) => call(changePlaybook, { params: { id }, body: change }),
      invalidatesTags: ['playbooks', 'audit'],
    }),
  }),
});

export const {
  useListPlaybooksQuery,
  useGetPlaybookQuery,
  useCreatePlaybookMutation,
  useChangePlaybookMutation,
} = playbooksApi;
