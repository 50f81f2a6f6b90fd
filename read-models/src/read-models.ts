import {
  agentsModel,
  readAgent,
  readAgents,
  readAssignments,
} from './features/agents/agents.tables.ts';
import {
  creditBalancesModel,
  ledgerEntriesModel,
  readLedgerEntries,
} from './features/credits/credits.tables.ts';
import {
  articlesModel,
  passagesModel,
  readArticle,
  readArticles,
} from './features/knowledge/knowledge.tables.ts';
import {
  organizationsModel,
  readOrganization,
} from './features/organizations/organizations.tables.ts';
import { readTask, readTaskStats, readTasks, tasksModel } from './features/tasks/tasks.tables.ts';
import {
  invitationsModel,
  membersModel,
  readCurrentUser,
  readInvitationById,
  readInvitationLink,
  readInvitations,
  readMembers,
} from './features/team/team.tables.ts';
import type { Read, ReadModel } from './kernel/read-model.ts';

export const readModels: readonly ReadModel[] = [
  agentsModel,
  articlesModel,
  creditBalancesModel,
  invitationsModel,
  ledgerEntriesModel,
  membersModel,
  organizationsModel,
  passagesModel,
  tasksModel,
];

export const reads: readonly Read[] = [
  readAgent,
  readAgents,
  readArticle,
  readArticles,
  readAssignments,
  readCurrentUser,
  readInvitationById,
  readInvitationLink,
  readInvitations,
  readLedgerEntries,
  readMembers,
  readOrganization,
  readTask,
  readTaskStats,
  readTasks,
];
