import {
  changePlaybook,
  createPlaybook,
  deletePlaybook,
  getPlaybook,
  listPlaybooks,
  type Playbook,
  restorePlaybook,
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
    deletePlaybook: build.mutation<null, string>({
      query: (id) => call(deletePlaybook, { params: { id } }),
      invalidatesTags: ['playbooks', 'agents', 'audit'],
    }),
    restorePlaybook: build.mutation<Playbook, string>({
      query: (id) => call(restorePlaybook, { params: { id } }),
      invalidatesTags: ['playbooks', 'agents', 'audit'],
    }),
  }),
});

export const {
  useListPlaybooksQuery,
  useGetPlaybookQuery,
  useCreatePlaybookMutation,
  useChangePlaybookMutation,
  useDeletePlaybookMutation,
  useRestorePlaybookMutation,
} = playbooksApi;
