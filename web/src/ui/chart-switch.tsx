import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';

/** Switches between a chart and its table. `title`: of what both show, read aloud. */
export function ChartSwitch({
  title,
  asTable,
  onChange,
}: {
  title: string;
  asTable: boolean;
  onChange: (asTable: boolean) => void;
}) {
  const { t } = useTranslation('common');
  return (
    <Button size="sm" variant="ghost" className="-mr-2" onClick={() => onChange(!asTable)}>
      {asTable ? t('chart.asChart') : t('chart.asTable')}
      <span className="sr-only">{title}</span>
    </Button>
  );
}
