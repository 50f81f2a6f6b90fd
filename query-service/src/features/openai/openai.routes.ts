import {
  getOpenAiModel,
  listOpenAiModels,
} from '@tallyhand/contracts/features/openai/openai.endpoints';
import {
  readOpenAiModel,
  readOpenAiModels,
} from '@tallyhand/read-models/features/agents/agents.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute, route } from '../../kernel/route.ts';

export function openAiRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, listOpenAiModels, ({ read }) => read(readOpenAiModels, {}));
  oneRoute(app, context, getOpenAiModel, readOpenAiModel, { what: 'model' });
}
