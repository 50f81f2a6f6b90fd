import { listApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { listAuditEntries } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { type Access, mayCall } from '@tallyhand/contracts/kernel/access';
import type { Role } from '@tallyhand/contracts/kernel/role';
import {
  BookOpen,
  Bot,
  CodeXml,
  CreditCard,
  Globe,
  LayoutDashboard,
  ListChecks,
  type LucideIcon,
  ScrollText,
  Stamp,
  Users,
  Wrench,
} from 'lucide-react';

/** `letter`: typed after `g` it leads there. */
type MainPage = {
  to: string;
  letter: string;
  key: string;
  icon: LucideIcon;
  needs?: Pick<Access, 'roles'>;
};

const pages = [
  { to: '/dashboard', letter: 'd', key: 'nav.dashboard', icon: LayoutDashboard },
  { to: '/agents', letter: 'a', key: 'nav.agents', icon: Bot },
  { to: '/autonomous', letter: 's', key: 'nav.sessions', icon: Globe },
  { to: '/tasks', letter: 't', key: 'nav.tasks', icon: ListChecks },
  { to: '/approvals', letter: 'p', key: 'nav.approvals', icon: Stamp },
  { to: '/knowledge', letter: 'k', key: 'nav.knowledge', icon: BookOpen },
  { to: '/tools', letter: 'o', key: 'nav.tools', icon: Wrench },
  { to: '/billing', letter: 'b', key: 'nav.billing', icon: CreditCard },
  { to: '/team', letter: 'm', key: 'nav.team', icon: Users },
  { to: '/developers', letter: 'v', key: 'nav.developers', icon: CodeXml, needs: listApiKeys },
  { to: '/audit', letter: 'l', key: 'nav.audit', icon: ScrollText, needs: listAuditEntries },
] as const satisfies readonly MainPage[];

/** The pages of the sidebar that a role sees, in their order there. */
export const mainPages = (role: Role) =>
  pages.filter((page) => !('needs' in page) || mayCall(role, page.needs));

/** Whether a page belongs to a main page; the chat with an agent to the agents. */
export const isPartOf = (main: string, pathname: string) =>
  pathname === main ||
  pathname.startsWith(`${main}/`) ||
  (main === '/agents' && pathname.startsWith('/agent/'));
