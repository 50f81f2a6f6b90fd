import { useEffect, useRef } from 'react';

let isLost = false;
const listeners = new Set<() => void>();

/** Whether the page still receives the server's changes. */
export const connection = {
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isLost: () => isLost,
  /** From the tab that holds the connection. */
  setLost(lost: boolean) {
    if (lost === isLost) return;
    isLost = lost;
    for (const listener of listeners) listener();
  },
};

const STATUS_PATH = '/api/status';
const LOOK_AGAIN_MS = 3_000;

/**
 * Calls `retry` after an outage while the component is shown. If the server answers all the time, the
 * fault is another, and a retry would fail again.
 */
export function useWhenServerIsBack(retry: () => void): void {
  const latest = useRef(retry);
  useEffect(() => {
    latest.current = retry;
  });
  useEffect(() => {
    const shown = new AbortController();
    const { signal } = shown;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOut = connection.isLost() || !navigator.onLine;
    const look = async () => {
      const isUp = await isServerUp(signal);
      if (signal.aborted) return;
      if (isUp && isOut) latest.current();
      isOut = !isUp;
      clearTimeout(timer);
      // With jitter, so that not all tabs poll at once.
      if (isOut) timer = setTimeout(look, LOOK_AGAIN_MS * (0.5 + Math.random()));
    };
    const lookAfterOutage = () => {
      isOut = true;
      void look();
    };
    // Both a lost and a restored connection mean an outage.
    const unsubscribe = connection.subscribe(lookAfterOutage);
    window.addEventListener('online', lookAfterOutage, { signal });
    void look();
    return () => {
      shown.abort();
      unsubscribe();
      clearTimeout(timer);
    };
  }, []);
}

/** Whether reads can be answered; a server without its database can't. */
async function isServerUp(signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(STATUS_PATH, { cache: 'no-store', signal });
    const isFailing = ({ name, status }: { name: string; status: string }) =>
      name === 'database' && status === 'failing';
    return response.ok && !(await response.json()).checks.some(isFailing);
  } catch {
    return false;
  }
}
