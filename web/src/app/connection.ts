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
  tell(lost: boolean) {
    if (lost === isLost) return;
    isLost = lost;
    for (const listener of listeners) listener();
  },
};
