/** For an element that scrolls and has nothing to focus, so that the keyboard reaches it. */
export const scrollable = { tabIndex: 0 };
