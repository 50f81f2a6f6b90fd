import {
  getPlaybook,
  listPlaybooks,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { readPlaybookAsOf, readPlaybooksAsOf } from '@tallyhand/read-models/features/audit/as-of';
import {
  readPlaybook,
  readPlaybooks,
} from '@tallyhand/read-models/features/playbooks/playbooks.tables';
import type { FastifyInstance } from 'fastify';
import { objectRoutes } from '../../kernel/as-of.ts';
import type { QueryContext } from '../../kernel/context.ts';

export function playbooksRoutes(app: FastifyInstance, context: QueryContext) {
  objectRoutes(
    app,
    context,
    { list: listPlaybooks, one: getPlaybook },
    {
      list: readPlaybooks,
      one: readPlaybook,
      listAsOf: readPlaybooksAsOf,
      oneAsOf: readPlaybookAsOf,
    },
  );
}
