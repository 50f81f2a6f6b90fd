/** The one toast that is shown now. A newer one takes its place. */
export type ToastMessage = {
  id: number;
  title: string;
  description?: string;
  variant?: 'default' | 'destructive';
  action?: { label: string; onClick: () => void };
  /** Milliseconds that it stays: 5,000, and 10,000 with an action, unless given. */
  durationMs?: number;
};

let current: ToastMessage | undefined;
let nextId = 1;
const listeners = new Set<() => void>();

const show = (message: ToastMessage | undefined) => {
  current = message;
  for (const listener of listeners) listener();
};

export function showToast(message: Omit<ToastMessage, 'id'>) {
  show({ ...message, id: nextId++ });
}

export function dismissToast(id: number) {
  if (current?.id === id) show(undefined);
}

export const toastStore = {
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  current: () => current,
};
