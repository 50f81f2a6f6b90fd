/** What `?new=` holds while the form of an agent without a template is open. */
export const BLANK = 'yes';
/** What it holds while the gallery of templates is open; otherwise it names a template. */
export const GALLERY = 'templates';
export const GALLERY_PATH = `/agents?new=${GALLERY}`;
export const BLANK_PATH = `/agents?new=${BLANK}`;
/** Adds the sample data if it is opened with this state. A link from elsewhere opens the gallery. */
export const SAMPLE = { to: '/agents?new=sample', state: { addsSample: true } };
