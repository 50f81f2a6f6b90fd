import lighthouse from 'lighthouse';

/* One run of Lighthouse over a page; sends its scores and what keeps them from being whole. */
const { url, port, skipAudits } = JSON.parse(process.argv[2] ?? '{}');
const { lhr } = (await lighthouse(url, { port, skipAudits, logLevel: 'error' })) ?? {};
if (!lhr || lhr.runtimeError) throw new Error(`Lighthouse: ${lhr?.runtimeError?.message}`);
const { audits, categories } = lhr;
const scores = Object.entries(categories).map(([name, { score }]) => [name, score]);
const faults = Object.values(categories)
  .flatMap(({ auditRefs }) => auditRefs)
  .filter(({ weight }) => weight > 0)
  .flatMap(({ id }) => audits[id] ?? [])
  .filter(({ score }) => score !== null && score < 1)
  .map(({ id, score, displayValue = '' }) => `${id} ${score} ${displayValue}`.trim());
process.once('disconnect', () => process.exit(0));
process.send?.({ scores: Object.fromEntries(scores), faults });
