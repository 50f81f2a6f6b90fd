import {
  STEP_ACTIONS,
  type StepAction,
} from '@tallyhand/contracts/features/sessions/sessions.fields';
import {
  ArrowLeft,
  ArrowUpDown,
  BookmarkPlus,
  CircleDot,
  FileText,
  Flag,
  Keyboard,
  Lightbulb,
  Link2,
  ListFilter,
  type LucideIcon,
  MousePointerClick,
  Search,
  Wrench,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';

const icons: Record<StepAction, LucideIcon> = {
  plan: Lightbulb,
  open: Link2,
  click: MousePointerClick,
  type: Keyboard,
  select: ListFilter,
  scroll: ArrowUpDown,
  back: ArrowLeft,
  extract: FileText,
  search: Search,
  use_tool: Wrench,
  note: BookmarkPlus,
  finish: Flag,
};

const isKnown = (action: string): action is StepAction =>
  (STEP_ACTIONS as readonly string[]).includes(action);

/** An action's name in words; one that a newer server knows stays as it is. */
export function useActionName(): (action: string) => string {
  const { t } = useTranslation('sessions');
  return (action) => (isKnown(action) ? t(`actions.${action}`) : action);
}

export function ActionIcon({ action }: { action: string }) {
  const Icon = isKnown(action) ? icons[action] : CircleDot;
  return <Icon aria-hidden className="size-4 shrink-0 text-muted" />;
}
