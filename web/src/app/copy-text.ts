import { showFailure, showToast, type ToastMessage } from '../ui/toast.ts';

/** Copies a text to the clipboard and reports the outcome in a toast, which is read aloud. */
export async function copyText(
  text: string,
  { done, failed }: { done: string; failed: string | Pick<ToastMessage, 'title' | 'description'> },
): Promise<void> {
  try {
    // Pages without HTTPS have no clipboard.
    await navigator.clipboard.writeText(text);
  } catch {
    return showFailure(typeof failed === 'string' ? { title: failed } : failed);
  }
  showToast({ title: done });
}
