import { exportedByName } from './endpoints.ts';
import { agentsExamples } from './features/agents/agents.examples.ts';
import { apiKeysExamples } from './features/api-keys/api-keys.examples.ts';
import { attachmentsExamples } from './features/attachments/attachments.examples.ts';
import { auditExamples } from './features/audit/audit.examples.ts';
import { chatExamples } from './features/chat/chat.examples.ts';
import { creditsExamples } from './features/credits/credits.examples.ts';
import { identityExamples } from './features/identity/identity.examples.ts';
import { knowledgeExamples } from './features/knowledge/knowledge.examples.ts';
import { mailboxesExamples } from './features/mailboxes/mailboxes.examples.ts';
import { modelsExamples } from './features/models/models.examples.ts';
import { notificationsExamples } from './features/notifications/notifications.examples.ts';
import { openaiExamples } from './features/openai/openai.examples.ts';
import { organizationsExamples } from './features/organizations/organizations.examples.ts';
import { playbooksExamples } from './features/playbooks/playbooks.examples.ts';
import { ratingsExamples } from './features/ratings/ratings.examples.ts';
import { searchExamples } from './features/search/search.examples.ts';
import { sessionsExamples } from './features/sessions/sessions.examples.ts';
import { statusExamples } from './features/status/status.examples.ts';
import { supportExamples } from './features/support/support.examples.ts';
import { tasksExamples } from './features/tasks/tasks.examples.ts';
import { teamExamples } from './features/team/team.examples.ts';
import { toolsExamples } from './features/tools/tools.examples.ts';
import { webhooksExamples } from './features/webhooks/webhooks.examples.ts';
import { answerExampleFinder } from './kernel/answer-examples.ts';
import * as changes from './kernel/changes.ts';

/** The example of a call's answer. */
export const answerExample = answerExampleFinder(
  { ...exportedByName, ...changes },
  {
    ...agentsExamples,
    ...apiKeysExamples,
    ...attachmentsExamples,
    ...auditExamples,
    ...chatExamples,
    ...creditsExamples,
    ...identityExamples,
    ...knowledgeExamples,
    ...mailboxesExamples,
    ...modelsExamples,
    ...notificationsExamples,
    ...openaiExamples,
    ...organizationsExamples,
    ...playbooksExamples,
    ...ratingsExamples,
    ...searchExamples,
    ...sessionsExamples,
    ...statusExamples,
    ...supportExamples,
    ...tasksExamples,
    ...teamExamples,
    ...toolsExamples,
    ...webhooksExamples,
  },
);
