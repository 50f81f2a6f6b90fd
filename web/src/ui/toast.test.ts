import { describe, expect, it } from 'vitest';
import { dismissToast, showToast, toastMs, toastStore } from './toast.ts';

const undo = { label: 'Undo', onClick: () => {} };

describe('a toast', () => {
  it('stays for 5 seconds, or for 10 where something can be undone from it', () => {
    expect(toastMs({ id: 1, title: 'Agent paused' })).toBe(5_000);
    expect(toastMs({ id: 1, title: 'Agent deleted', action: undo })).toBe(10_000);
    expect(toastMs({ id: 1, title: 'Agent deleted', action: undo, durationMs: 1 })).toBe(1);
  });

  it('makes room for the next one, which its own end does not dismiss', () => {
    showToast({ title: 'Agent paused' });
    const first = toastStore.current();
    showToast({ title: 'Agent activated' });
    expect(toastStore.current()).toMatchObject({ title: 'Agent activated' });
    dismissToast(first?.id ?? 0);
    expect(toastStore.current()).toMatchObject({ title: 'Agent activated' });
  });

  it('is announced to those who show it, until they leave', () => {
    let changes = 0;
    const unsubscribe = toastStore.subscribe(() => {
      changes += 1;
    });
    showToast({ title: 'Saved' });
    dismissToast(toastStore.current()?.id ?? 0);
    unsubscribe();
    showToast({ title: 'Saved' });
    expect(changes).toBe(2);
  });
});
