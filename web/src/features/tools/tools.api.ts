import {
  changeTool,
  createTool,
  listTools,
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
    testTool: build.mutation<ToolTestResult, { id: string; input: string }>({
      query: ({ id, input }) => call(testTool, { params: { id }, body: { input } }),
    }),
  }),
});

export const {
  useListToolsQuery,
  useCreateToolMutation,
  useChangeToolMutation,
  useTestToolMutation,
} = toolsApi;
