import {
  changeTool,
  createTool,
  deleteTool,
  listTools,
  restoreTool,
  type Tool,
  type ToolTestResult,
  testTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { ToolChange, ToolInput } from '@tallyhand/contracts/features/tools/tools.fields';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const toolsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listTools: build.query<Tool[], void>({
      query: () => call(listTools),
      providesTags: ['tools'],
    }),
    createTool: build.mutation<Tool, ToolInput>({
      query: (body) => call(createTool, { body }),
      invalidatesTags: ['tools'],
    }),
    changeTool: build.mutation<Tool, { id: string; change: ToolChange }>({
      query: ({ id, change }) => call(changeTool, { params: { id }, body: change }),
      invalidatesTags: ['tools', 'audit'],
    }),
    deleteTool: build.mutation<null, string>({
      query: (id) => call(deleteTool, { params: { id } }),
      invalidatesTags: ['tools', 'agents'],
    }),
    testTool: build.mutation<ToolTestResult, { id: string; input: string }>({
      query: ({ id, input }) => call(testTool, { params: { id }, body: { input } }),
    }),
    restoreTool: build.mutation<Tool, string>({
      query: (id) => call(restoreTool, { params: { id } }),
      invalidatesTags: ['tools', 'agents'],
    }),
  }),
});

export const {
  useListToolsQuery,
  useCreateToolMutation,
  useChangeToolMutation,
  useDeleteToolMutation,
  useRestoreToolMutation,
  useTestToolMutation,
} = toolsApi;
