import {
  type Session,
  SessionQuery,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { type AddressFilter, filterIn } from '../../app/address-filter.ts';

export const FILTER_NAMES = ['status', 'agentId'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

export type SessionFilter = AddressFilter<FilterName>;

const { status, agentId } = SessionQuery.shape;

export const filterOf = (search: URLSearchParams): SessionFilter =>
  filterIn({ status, agentId }, search);

/** It has not come to its end: it is under way, or waits for a browser. */
export const isOpen = ({ status }: Pick<Session, 'status'>) =>
  status === 'queued' || status === 'running';

/** Who started it may end it and steer its browser, and so may Admins. */
export const isKeptBy = (
  { requestedBy }: Pick<Session, 'requestedBy'>,
  { id, role }: { id: string; role: string },
) => requestedBy.id === id || role === 'Admin';
