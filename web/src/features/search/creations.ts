import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { createPlaybook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { startSession } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { isPartOf } from '../../app/main-pages.ts';
import { BLANK_PATH } from '../agents/gallery-path.ts';

/** What can be created, and the page that it is created on. */
const all = [
  { page: '/agents', to: BLANK_PATH, key: 'createAgent', needs: createAgent },
  { page: '/knowledge', to: '/knowledge?new=article', key: 'addArticle', needs: createArticle },
  {
    page: '/knowledge',
    to: '/knowledge?tab=playbooks&new=playbook',
    key: 'createPlaybook',
    needs: createPlaybook,
  },
  { page: '/tools', to: '/tools?new=tool', key: 'addTool', needs: createTool },
  {
    page: '/autonomous',
    to: '/autonomous?start=new',
    key: 'startSession',
    needs: startSession,
  },
  { page: '/team', to: '/team?new=invitation', key: 'inviteMember', needs: issueInvitation },
] as const;

/** What the role may create. */
export const creations = (role: Role) => all.filter(({ needs }) => mayCall(role, needs));

/** What is created first on a page, or an agent where the page has nothing of its own. */
export const creationAt = (role: Role, pathname: string) =>
  creations(role).find(({ page }) => isPartOf(page, pathname)) ??
  creations(role).find(({ key }) => key === 'createAgent');
