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
  Users,
  Wrench,
} from 'lucide-react';

type MainPage = { to: string; key: string; icon: LucideIcon; needs?: Pick<Access, 'roles'> };

const pages = [
  { to: '/dashboard', key: 'nav.dashboard', icon: LayoutDashboard },
  { to: '/agents', key: 'nav.agents', icon: Bot },
  { to: '/autonomous', key: 'nav.sessions', icon: Globe },
  { to: '/tasks', key: 'nav.tasks', icon: ListChecks },
  { to: '/knowledge', key: 'nav.knowledge', icon: BookOpen },
  { to: '/tools', key: 'nav.tools', icon: Wrench },
  { to: '/billing', key: 'nav.billing', icon: CreditCard },
  { to: '/team', key: 'nav.team', icon: Users },
  { to: '/developers', key: 'nav.developers', icon: CodeXml, needs: listApiKeys },
  { to: '/audit', key: 'nav.audit', icon: ScrollText, needs: listAuditEntries },
] as const satisfies readonly MainPage[];

/** The pages of the sidebar that a role sees, in their order there. */
export const mainPages = (role: Role) =>
  pages.filter((page) => !('needs' in page) || mayCall(role, page.needs));
