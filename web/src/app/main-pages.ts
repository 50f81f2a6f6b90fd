import { listApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import {
  type Access,
  AUDIT_READERS,
  HISTORY_READERS,
  MEMBERS,
  mayCall,
} from '@tallyhand/contracts/kernel/access';
import type { Role } from '@tallyhand/contracts/kernel/role';
import {
  BookOpen,
  Bot,
  CodeXml,
  CreditCard,
  Globe,
  History,
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
  /** Without it, every role but the Auditor. */
  needs?: Pick<Access, 'roles'>;
};

/** Others open a history beside its object. */
const AUDITORS = { roles: ['Auditor'] } as const;

const pages = [
  { to: '/dashboard', letter: 'd', key: 'nav.dashboard', icon: LayoutDashboard },
  { to: '/agents', letter: 'a', key: 'nav.agents', icon: Bot },
  { to: '/autonomous', letter: 's', key: 'nav.sessions', icon: Globe },
  { to: '/tasks', letter: 't', key: 'nav.tasks', icon: ListChecks },
  { to: '/approvals', letter: 'p', key: 'nav.approvals', icon: Stamp },
  { to: '/knowledge', letter: 'k', key: 'nav.knowledge', icon: BookOpen },
  { to: '/tools', letter: 'o', key: 'nav.tools', icon: Wrench },
  { to: '/billing', letter: 'b', key: 'nav.billing', icon: CreditCard, needs: HISTORY_READERS },
  { to: '/team', letter: 'm', key: 'nav.team', icon: Users },
  { to: '/developers', letter: 'v', key: 'nav.developers', icon: CodeXml, needs: listApiKeys },
  { to: '/audit', letter: 'l', key: 'nav.audit', icon: ScrollText, needs: AUDIT_READERS },
  { to: '/histories', letter: 'h', key: 'nav.histories', icon: History, needs: AUDITORS },
] as const satisfies readonly MainPage[];

/** The pages of the sidebar that a role sees, in their order there. */
export const mainPages = (role: Role) =>
  pages.filter((page) => mayCall(role, 'needs' in page ? page.needs : MEMBERS));

/** Whether a role may open an address at all. A page may be restricted further. */
export const mayOpen = (role: Role, pathname: string) =>
  mayCall(role, MEMBERS) ||
  pathname === '/settings' ||
  mainPages(role).some(({ to }) => isPartOf(to, pathname));

/** Whether a page belongs to a main page; the chat with an agent to the agents. */
export const isPartOf = (main: string, pathname: string) =>
  pathname === main ||
  pathname.startsWith(`${main}/`) ||
  (main === '/agents' && pathname.startsWith('/agent/'));
