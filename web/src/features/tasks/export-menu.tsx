import { exportTasks } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { DropdownMenu, MenuLink } from '../../ui/dropdown-menu.tsx';
import { queryOf, type TaskFilter } from './task-filter.ts';

const FORMATS = ['csv', 'json'] as const;

/** The tasks that the filter finds, whole, as a file. */
export function ExportMenu({ filter }: { filter: TaskFilter }) {
  const { t } = useTranslation('tasks');
  const addressOf = (format: string) => {
    const query = new URLSearchParams({ ...queryOf(filter), format });
    return `${exportTasks.path}?${query}`;
  };
  return (
    <DropdownMenu
      trigger={
        <Button>
          <Download aria-hidden />
          {t('export.action')}
        </Button>
      }
    >
      {FORMATS.map((format) => (
        <MenuLink key={format} href={addressOf(format)} download>
          {t(`export.${format}`)}
        </MenuLink>
      ))}
    </DropdownMenu>
  );
}
