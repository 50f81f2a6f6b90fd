import {
  type TASK_STATUSES,
  type Task,
  TaskFilter as TaskFilterFields,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { z } from 'zod';

export const FILTER_NAMES = ['q', 'status', 'type', 'agentId', 'from', 'to'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** What an address asks for: a filter's values as they stand in it, none that is not valid. */
export type TaskFilter = Partial<Record<FilterName, string>>;

/** How the filter names states, `all` being none of them. */
export const STATUS_CHOICES = ['success', 'failed', 'running', 'queued', 'cancelled'] as const;
STATUS_CHOICES satisfies readonly (typeof TASK_STATUSES)[number][];

/** A day whose neighbours have years of four digits too, wherever on Earth the person is. */
const Day = z.iso.date().refine((day) => day > '0001-01-01' && day < '9999-12-31');
const fields = { ...TaskFilterFields, from: Day, to: Day };

/** The filter that stands in an address. What the server would refuse is left out. */
export function filterOf(search: URLSearchParams): TaskFilter {
  const given = FILTER_NAMES.map((name) => [name, search.get(name)?.trim() ?? ''] as const);
  const valid = given.filter(
    ([name, value]) => value !== '' && fields[name].safeParse(value).success,
  );
  return Object.fromEntries(valid);
}

/** The beginning of a day where the person is, some days later, as the server is told. */
function beginOf(day: string, daysLater = 0): string {
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + daysLater);
  return at.toISOString();
}

/** The filter as the server takes it: days are whole days of the person's own calendar. */
export function queryOf({ from, to, ...rest }: TaskFilter): TaskFilter {
  return {
    ...rest,
    ...(from && { from: beginOf(from) }),
    ...(to && { to: beginOf(to, 1) }),
  };
}

export const isOpen = ({ status }: Pick<Task, 'status'>) =>
  status === 'queued' || status === 'running';

export const mayRetry = ({ status }: Pick<Task, 'status'>) =>
  status === 'failed' || status === 'cancelled';
