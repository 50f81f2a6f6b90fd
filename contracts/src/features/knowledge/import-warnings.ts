import { sentence } from '../../kernel/sentence.ts';

/** What was omitted or guessed when a file or page became an article. */

const counted = (count: number, one: string, more: string) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`;

export const EncodingGuessed = sentence(
  'encoding-guessed',
  (p: { encoding: string }) => `The text was read as ${p.encoding}.`,
);
export const ImagesLeftOut = sentence('images-left-out', (p: { count: number }) => {
  const were = counted(p.count, 'image was', 'images were');
  return `${were} left out. Image descriptions are kept as text.`;
});
export const PagesNotRead = sentence(
  'pages-not-read',
  (p: { count: number }) => `${counted(p.count, 'page', 'pages')} couldn't be read.`,
);
export const PagesEmpty = sentence(
  'pages-empty',
  (p: { count: number }) => `${counted(p.count, 'page has', 'pages have')} no text.`,
);
