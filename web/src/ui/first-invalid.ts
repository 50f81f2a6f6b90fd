import { useEffect, useState } from 'react';

const INVALID = '[aria-invalid="true"], [data-invalid]';
const CONTROLS = 'input, select, textarea, button';

/**
 * Returns a function that leads to the first invalid control within a form, once the form shows its
 * errors: the control, in the order of the page, gets the focus and is scrolled into view with its
 * message. A group marked with `data-invalid` stands for its first control.
 */
export function useFirstInvalid() {
  const [refused, setRefused] = useState<{ at: Element }>();
  useEffect(() => {
    if (refused) lead(refused.at);
  }, [refused]);
  return (at: Element | null) => {
    if (at) setRefused({ at });
  };
}

function lead(form: Element) {
  const invalid = form.querySelector<HTMLElement>(INVALID);
  if (!invalid) return;
  const control = invalid.matches(CONTROLS)
    ? invalid
    : invalid.querySelector<HTMLElement>(CONTROLS);
  control?.focus({ preventScroll: true });
  (invalid.closest('[data-field]') ?? invalid).scrollIntoView({ block: 'nearest' });
}
