/** For an element that scrolls by itself and holds nothing to focus: the keyboard reaches it. */
export const scrollable = { tabIndex: 0 };
