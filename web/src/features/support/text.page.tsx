import { usePageWords } from './page-words.ts';
import { Prose } from './prose.tsx';
import { PublicTitle } from './public-title.tsx';

/** A page that is nothing but text. */
export function TextPage({ page }: { page: string }) {
  const { title, description, sections } = usePageWords(page);
  return (
    <>
      <PublicTitle title={title} description={description} />
      <Prose sections={sections} />
    </>
  );
}
