import { remember, remembered } from '../../ui/remembered.ts';

/** Single keys can be switched off: speech input types them by mistake. */
export const shortcutsAreOn = () => remembered('shortcuts') !== 'off';
export const switchShortcuts = (isOn: boolean) => remember('shortcuts', isOn ? null : 'off');
