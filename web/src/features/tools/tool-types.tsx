import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { Code, Globe, type LucideIcon, Plug } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';

const TYPES = ['browser', 'api', 'custom'] as const;

const typeIcons: Record<Tool['type'], LucideIcon> = {
  browser: Globe,
  api: Plug,
  custom: Code,
};

export function ToolTypeBadge({ type }: { type: Tool['type'] }) {
  const { t } = useTranslation('tools');
  const Icon = typeIcons[type];
  return (
    <Badge>
      <Icon aria-hidden />
      {t(`types.${type}.name`)}
    </Badge>
  );
}

/** What each type of tool does. */
export function ToolTypes() {
  const { t } = useTranslation('tools');
  return (
    <section aria-label={t('kindsOfTools')}>
      <ul className="grid gap-2 sm:gap-4 sm:grid-cols-3">
        {TYPES.map((type) => {
          const Icon = typeIcons[type];
          return (
            // Without the ground of a card: they explain, the cards below are what one has.
            <li key={type} className="flex gap-3 rounded-lg border border-line p-3 sm:p-4">
              <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
              <div className="min-w-0">
                <h2 className="font-semibold">{t(`types.${type}.name`)}</h2>
                <p className="text-muted">{t(`types.${type}.about`)}</p>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
