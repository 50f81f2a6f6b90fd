import { useTranslation } from 'react-i18next';
import document from '../../../../docs/threat-model.md?raw';
import { RichText } from './rich-text.tsx';

/** The headings of the document, which are translated. */
export const ACTORS = {
  'An outsider': 'outsider',
  'A database administrator': 'administrator',
  'An insider with the signing key': 'insider',
  'The operator': 'operator',
} as const;

const isActor = (actor: string): actor is keyof typeof ACTORS => actor in ACTORS;

/** Who could forge what: the tables of docs/threat-model.md, which are in English. */
export function ThreatTables() {
  const { t } = useTranslation('support');
  return threatsIn(document).map(({ actor, text, rows }) => {
    const title = isActor(actor) ? t(`threats.${ACTORS[actor]}`) : actor;
    return (
      <section key={actor}>
        <h3 className="font-semibold">{title}</h3>
        <p lang="en" className="mt-1 max-w-[68ch] text-muted">
          <RichText text={text} />
        </p>
        {/* On a phone each row is a card, without the headings. */}
        <table aria-label={title} className="mt-3 w-full text-left text-sm max-sm:block">
          <thead className="max-sm:sr-only">
            <tr className="border-b border-border">
              <th scope="col" className="w-1/2 py-2 pr-4 font-semibold">
                {t('threats.forges')}
              </th>
              <th scope="col" className="py-2 font-semibold">
                {t('threats.shows')}
              </th>
            </tr>
          </thead>
          <tbody lang="en" className="max-sm:block">
            {rows.map(({ forges, shows }) => (
              <tr key={forges} className="border-b border-line align-top max-sm:block max-sm:py-2">
                <td className="py-2 pr-4 max-sm:block max-sm:py-0 max-sm:font-medium">
                  <RichText text={forges} />
                </td>
                <td className="py-2 text-muted max-sm:block max-sm:py-0">
                  <RichText text={shows} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    );
  });
}

/** What one kind of person can forge, and what shows it: text with the marks of `RichText`. */
export type Threats = {
  readonly actor: string;
  readonly text: string;
  readonly rows: readonly { readonly forges: string; readonly shows: string }[];
};

/** The sections of docs/threat-model.md, each with its table. */
export function threatsIn(markdown: string): readonly Threats[] {
  const [, ...sections] = markdown.split(/^## /m);
  return sections.map((section) => {
    const [actor = '', ...lines] = section.trim().split('\n');
    const [, , ...rows] = lines.filter((line) => line.startsWith('|'));
    return {
      actor,
      text: lines.filter((line) => line !== '' && !line.startsWith('|')).join(' '),
      rows: rows.map((row) => {
        const [, forges = '', shows = ''] = row.split('|').map((cell) => cell.trim());
        return { forges, shows };
      }),
    };
  });
}
