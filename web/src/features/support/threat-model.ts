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
