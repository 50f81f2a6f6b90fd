import { useSearchParams } from 'react-router-dom';
import { useAddressFilter } from '../../app/use-address-filter.ts';
import { FILTER_NAMES, filterOf } from './session-filter.ts';

export const useSessionFilter = () => useAddressFilter(FILTER_NAMES, filterOf);

export type SessionFilterState = ReturnType<typeof useSessionFilter>;

const NAMES = ['session', 'view', 'replay', 'start'] as const;
type Name = (typeof NAMES)[number];

/** What is open beside the list; `start` holds the agent to start with, or `new`. */
export type Opened = Partial<Record<Name, string>>;

/** `?session=ID` chooses one, `&view=browser` shows its browser, `&replay=STEP` its film. */
export function useSessionAddress() {
  const [search, setSearch] = useSearchParams();
  const opened: Opened = {};
  for (const name of NAMES) {
    const value = search.get(name);
    if (value !== null) opened[name] = value;
  }
  /** Opens exactly this; filters stay. `replace`: there is nothing to go back to. */
  const open = (wanted: Opened, { replace = false } = {}) =>
    setSearch(
      (now) => {
        const params = new URLSearchParams(now);
        for (const name of NAMES) params.delete(name);
        for (const [name, value] of Object.entries(wanted)) params.set(name, value);
        return params;
      },
      { replace },
    );
  return { opened, open };
}

export type Open = ReturnType<typeof useSessionAddress>['open'];
