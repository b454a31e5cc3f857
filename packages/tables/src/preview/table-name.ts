/** A name for the table of these files: what the first one is called, as far as a table can be called that. */
export function tableNameOf(files: readonly string[]): string {
  const file = files[0]?.split('/').findLast((segment) => segment !== '') ?? '';
  const [stem = ''] = file.split('.');
  const name = stem.replaceAll(/[^A-Za-z0-9_]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return name === '' ? 'table' : name;
}
