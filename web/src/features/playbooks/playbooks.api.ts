import {
  changePlaybook,
  createPlaybook,
  getPlaybook,
  listPlaybooks,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { api, change, read } from '../../app/api.ts';
import { changeSeen } from '../../app/change-seen.ts';
import { readList } from '../../app/pages.ts';

const playbooksApi = api.injectEndpoints({
  endpoints: (build) => ({
    listPlaybooks: build.query(readList(listPlaybooks, ['playbooks'])),
    getPlaybook: build.query(read(getPlaybook, ['playbooks'])),
    createPlaybook: build.mutation(change(createPlaybook, ['playbooks'])),
    changePlaybook: build.mutation(changeSeen(changePlaybook, ['playbooks', 'audit'])),
  }),
});

export const {
  useListPlaybooksQuery,
  useGetPlaybookQuery,
  useCreatePlaybookMutation,
  useChangePlaybookMutation,
} = playbooksApi;
