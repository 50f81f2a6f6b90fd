import type { FastifyInstance } from 'fastify';
import type { PgBoss } from 'pg-boss';
import { agentsRoutes } from '../features/agents/agents.routes.ts';
import { identityRoutes } from '../features/identity/identity.routes.ts';
import { knowledgeRoutes } from '../features/knowledge/knowledge.routes.ts';
import { tasksRoutes } from '../features/tasks/tasks.routes.ts';
import { teamRoutes } from '../features/team/team.routes.ts';
import type { Kit } from '../kit/app.ts';
import type { Endings } from '../kit/endings.ts';
import type { Features } from './features.ts';

export function addRoutes(
  app: FastifyInstance,
  kit: Kit,
  features: Features,
  { boss, endings }: { readonly boss: PgBoss; readonly endings: Endings },
): void {
  const { agents, articles, credits, invitations, organizations, registration } = features;
  identityRoutes(app, {
    kit,
    registration,
    organizationName: organizations.nameOf,
    creditBalance: credits.available,
  });
  teamRoutes(app, {
    kit,
    invitations,
    emailKey: registration.emailKey,
    hasAccount: registration.hasAccount,
  });
  agentsRoutes(app, { kit, unknownArticles: articles.unknown });
  knowledgeRoutes(app, { kit });
  tasksRoutes(app, {
    kit,
    boss,
    endings,
    findAgent: agents.find,
    reserve: credits.reserveForTask,
  });
}
