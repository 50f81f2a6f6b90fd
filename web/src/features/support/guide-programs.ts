/** The files as they are: tests run them. */
export const guidePrograms = import.meta.glob<string>('./guides/*', {
  eager: true,
  import: 'default',
  query: '?raw',
});
