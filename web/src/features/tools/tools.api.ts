import {
  authorizedTool,
  authorizeTool,
  changeTool,
  connectTool,
  createTool,
  listTools,
  testTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import { api, change, read } from '../../app/api.ts';
import { changeSeen } from '../../app/change-seen.ts';
import { readList } from '../../app/pages.ts';

const toolsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listTools: build.query(readList(listTools, ['tools'])),
    createTool: build.mutation(change(createTool, ['tools'])),
    changeTool: build.mutation(changeSeen(changeTool, ['tools', 'audit'])),
    connectTool: build.query(read(connectTool)),
    authorizeTool: build.mutation(change(authorizeTool)),
    authorizedTool: build.mutation(change(authorizedTool, ['tools', 'audit'])),
    testTool: build.mutation(change(testTool)),
  }),
});

export const {
  useListToolsQuery,
  useCreateToolMutation,
  useChangeToolMutation,
  useConnectToolQuery,
  useAuthorizeToolMutation,
  useAuthorizedToolMutation,
  useTestToolMutation,
} = toolsApi;
