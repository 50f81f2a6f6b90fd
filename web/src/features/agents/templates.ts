import type { PersonaConfig } from '@tallyhand/contracts/features/agents/agents.fields';
import {
  ChartColumn,
  ClipboardList,
  Headset,
  type LucideIcon,
  PenLine,
  Telescope,
  UserPlus,
} from 'lucide-react';

type Template = {
  icon: LucideIcon;
  communicationStyle: PersonaConfig['communicationStyle'];
};

/** Agents to start from. Their texts, example articles and questions are in `templates.json`. */
export const TEMPLATES = {
  support: { icon: Headset, communicationStyle: 'friendly' },
  research: { icon: Telescope, communicationStyle: 'professional' },
  data: { icon: ChartColumn, communicationStyle: 'professional' },
  writing: { icon: PenLine, communicationStyle: 'friendly' },
  operations: { icon: ClipboardList, communicationStyle: 'formal' },
  onboarding: { icon: UserPlus, communicationStyle: 'friendly' },
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof TEMPLATES;

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as readonly TemplateName[];

/** The areas of expertise of each template. */
export const EXPERTISE = [0, 1, 2] as const;

export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(TEMPLATES, name);
