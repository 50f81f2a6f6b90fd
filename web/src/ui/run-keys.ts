import type { KeyboardEvent } from 'react';

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The keys that run a form, as its reader's keyboard names them. */
export const RUN_KEYS = IS_APPLE ? '⌘ Enter' : 'Ctrl+Enter';

/** Ctrl+Enter and Cmd+Enter press the submit button of the field's form; Enter makes a line. */
export function runsForm(event: KeyboardEvent<HTMLTextAreaElement>) {
  const runs = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
  if (!runs || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.querySelector<HTMLElement>('[type="submit"]')?.click();
}
