// There before the first message: screen readers announce only changes of what they know.
const region = document.createElement('div');
region.setAttribute('role', 'status');
// Exempts it from the hiding of everything behind a dialog.
region.setAttribute('aria-live', 'polite');
region.className = 'sr-only';
document.body.append(region);

/** Announces a message to screen readers, also if the component that sends it is replaced. */
export function say(message: string) {
  // The same message twice is two changes.
  region.replaceChildren(Object.assign(document.createElement('p'), { textContent: message }));
}
