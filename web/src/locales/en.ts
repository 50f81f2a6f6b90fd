import type { WorkKind, WorkType } from '@tallyhand/contracts/features/credits/paid-work';
import agents from './en/agents.json';
import approvals from './en/approvals.json';
import audit from './en/audit.json';
import bulk from './en/bulk.json';
import chat from './en/chat.json';
import common from './en/common.json';
import compare from './en/compare.json';
import credits from './en/credits.json';
import demo from './en/demo.json';
import developers from './en/developers.json';
import identity from './en/identity.json';
import knowledge from './en/knowledge.json';
import landing from './en/landing.json';
import lists from './en/lists.json';
import mailboxes from './en/mailboxes.json';
import models from './en/models.json';
import notifications from './en/notifications.json';
import organizations from './en/organizations.json';
import playbooks from './en/playbooks.json';
import problems from './en/problems.json';
import ratings from './en/ratings.json';
import reference from './en/reference.json';
import sample from './en/sample.json';
import search from './en/search.json';
import sentences from './en/sentences.json';
import sessions from './en/sessions.json';
import settings from './en/settings.json';
import support from './en/support.json';
import tasks from './en/tasks.json';
import team from './en/team.json';
import templates from './en/templates.json';
import tools from './en/tools.json';
import usage from './en/usage.json';
import validation from './en/validation.json';

/** Each type and kind of paid work has a name wherever it is listed. */
type WorkNames = {
  workTypes: Record<WorkType, string>;
  pricing: { types: Record<WorkType, string> };
  ledger: { work: Record<WorkKind, string> };
};

export const resources = {
  agents,
  approvals,
  audit,
  bulk,
  chat,
  common,
  compare,
  credits: credits satisfies WorkNames,
  demo,
  developers,
  identity,
  knowledge,
  landing,
  lists,
  mailboxes,
  models,
  notifications,
  organizations,
  playbooks,
  problems,
  ratings,
  reference,
  sample,
  search,
  sentences,
  sessions,
  support,
  settings,
  tasks,
  team,
  templates,
  tools,
  usage,
  validation,
};
