/** The header's primary action: it takes the place of the same action of an empty list. */
const pagePrimary = () => document.querySelector<HTMLElement>('[data-primary] :is(a, button)');

/** What the focus was on is gone, because the list that offered it is no longer empty. */
export const focusPagePrimary = () =>
  (pagePrimary() ?? document.getElementById('content'))?.focus();
