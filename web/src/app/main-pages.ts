import { ADMINS, type Role } from '@tallyhand/contracts/features/identity/role';
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

type MainPage = { to: string; key: string; icon: LucideIcon; adminsOnly?: boolean };

const pages = [
  { to: '/dashboard', key: 'nav.dashboard', icon: LayoutDashboard },
  { to: '/agents', key: 'nav.agents', icon: Bot },
  { to: '/autonomous', key: 'nav.sessions', icon: Globe },
  { to: '/tasks', key: 'nav.tasks', icon: ListChecks },
  { to: '/knowledge', key: 'nav.knowledge', icon: BookOpen },
  { to: '/tools', key: 'nav.tools', icon: Wrench },
  { to: '/billing', key: 'nav.billing', icon: CreditCard },
  { to: '/team', key: 'nav.team', icon: Users },
  { to: '/developers', key: 'nav.developers', icon: CodeXml, adminsOnly: true },
  { to: '/audit', key: 'nav.audit', icon: ScrollText, adminsOnly: true },
] as const satisfies readonly MainPage[];

/** The pages of the sidebar, by their order there, for somebody of a role. */
export const mainPages = (role: Role) =>
  pages.filter((page) => ADMINS.includes(role) || !('adminsOnly' in page));
