import { part } from '../../app/part.ts';
import { usePageWords } from './page-words.ts';
import { Prose } from './prose.tsx';
import { PublicTitle } from './public-title.tsx';

const ThreatTables = part(
  ['/security'],
  ['support'],
  async () => (await import('./threat-tables.tsx')).ThreatTables,
);

/** A page that is nothing but text, and for the page about security tables of a document. */
export function TextPage({ page }: { page: string }) {
  const { title, description, sections } = usePageWords(page);
  return (
    <>
      <PublicTitle title={title} description={description} />
      <Prose sections={sections}>{page === 'security' && <ThreatTables />}</Prose>
    </>
  );
}
