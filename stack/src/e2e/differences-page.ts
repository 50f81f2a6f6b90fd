/** How a picture compares with the accepted one of its name. */
export type Compared =
  | { readonly name: string; readonly state: 'same' | 'new' }
  | { readonly name: string; readonly state: 'changed'; readonly share: number };

const percent = (share: number) => `${(share * 100).toFixed(2)}%`;

const figure = (folder: string, name: string, caption: string) =>
  `<figure><figcaption>${caption}</figcaption><a href="${folder}/${name}.png">` +
  `<img src="${folder}/${name}.png" alt="" loading="lazy"></a></figure>`;

function rowOf(compared: Compared): string {
  const { name, state } = compared;
  if (state === 'same') return '';
  const title = compared.state === 'changed' ? percent(compared.share) : 'new';
  const figures =
    state === 'new'
      ? figure('sweep', name, 'Taken')
      : figure('accepted', name, 'Accepted') +
        figure('sweep', name, 'Taken') +
        figure('differences', name, 'Difference');
  return `<section><h2>${name} <small>${title}</small></h2><div>${figures}</div></section>\n`;
}

const shareOf = (compared: Compared) => (compared.state === 'changed' ? compared.share : 0);

/** One line on what a comparison found. */
export function summaryOf(compared: readonly Compared[]): string {
  const count = (wanted: Compared['state']) =>
    compared.filter(({ state }) => state === wanted).length;
  return `${count('changed')} changed, ${count('new')} new, ${count('same')} the same`;
}

/** A page that lies beside the folders of pictures, the largest differences first. */
export function differencesPage(compared: readonly Compared[]): string {
  const rows = compared
    .toSorted((a, b) => shareOf(b) - shareOf(a) || a.name.localeCompare(b.name))
    .map(rowOf);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Differences of the screenshots</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; margin: 24px; background: #f4f1ec; color: #1c1a17; }
  h2 { font-size: 16px; margin: 32px 0 8px; } small { font-weight: normal; color: #6b655c; }
  section > div { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 16px; }
  figure { margin: 0; } img { max-width: 100%; border: 1px solid #d8d2c7; background: #fff; }
</style>
<h1>Differences of the screenshots</h1>
<p>${summaryOf(compared)}. <code>npm run screenshots -- --accept</code> accepts all of them; with the
beginnings of names, only those.</p>
${rows.join('')}</html>
`;
}
