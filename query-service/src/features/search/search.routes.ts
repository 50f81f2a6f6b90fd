import { search } from '@tallyhand/contracts/features/search/search.endpoints';
import { readSearch } from '@tallyhand/read-models/features/search/search.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { route } from '../../kernel/route.ts';

export function searchRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, search, ({ query, read }) => read(readSearch, query));
}
