import type { ReactNode } from 'react';
import { PERIODS, type Period } from './periods.ts';

/** The values of filters by their names; an empty one is not set. */
export type FilterValues = Readonly<Record<string, string | undefined>>;
export type ChangeFilter = (values: FilterValues, how: 'chosen' | 'typed') => void;

/**
 * A filter with few values. Without `options` it comes from links only, and can be removed; with an empty
 * list it keeps its place, since its values may still be on their way.
 */
export type FilterField = {
  name: string;
  label: string;
  options?: readonly { value: string; label: string }[];
  /** Names a value that is none of the options. */
  unknown?: (value: string) => string;
};

export type FilterBarProps = {
  /** The text that is searched for, under the name `q`; its label. */
  search?: string;
  fields: readonly FilterField[];
  /** The label of the days, under the names `period`, `from` and `to`. */
  dates?: string;
  values: FilterValues;
  change: ChangeFilter;
  clear: () => void;
  /** Called when the filters are about to be chosen, so that their options can be loaded. */
  onOpen?: () => void;
  /** At the end of the line, such as how the list is sorted. */
  children?: ReactNode;
};

/** Removes the days from a filter. */
export const NO_DAYS = { period: undefined, from: undefined, to: undefined };

export const periodOf = ({ period }: FilterValues): Period | undefined =>
  PERIODS.find((each) => each === period);
