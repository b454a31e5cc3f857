import { brotliDecompressSync } from 'node:zlib';
import { readConsoleFiles } from '@quire/console';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureSite } from '../../../packages/console/scripts/build-site.ts';

const KB = 1024;

/** Files that are loaded on demand: the editor, the plots, and pages other than the first. */
const isLazy = (name: string): boolean =>
  /(?:excel-file|sql-editor|plot-panel|cluster-page|reference-page|restream-page|preview-page)-/.test(
    name,
  );

describe('the files of the console', () => {
  beforeAll(() => ensureSite(() => undefined));

  test('the files of the console are less than 200 KB compressed, without what loads when it is needed', async () => {
    const files = await readConsoleFiles();
    const sizes = [...(files ?? [])].map(([name, { bytes, brotli }]) => ({
      name,
      size: (brotli ?? bytes).byteLength,
    }));
    const first = sizes.filter(({ name }) => !isLazy(name));
    expect(first.length).toBeGreaterThan(2);
    expect(first.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(200 * KB);
    expect(sizes.some(({ name }) => isLazy(name))).toBe(true);
  });

  test("the files of the console have React's build for production, also when a test has built them", async () => {
    const files = await readConsoleFiles();
    const texts = [...(files ?? [])].map(([, { bytes }]) => Buffer.from(bytes).toString());
    expect(texts.some((text) => text.includes('react.dev/errors'))).toBe(true);
    expect(texts.some((text) => text.includes('React DevTools'))).toBe(false);
  });

  test('the files of the console are the same compressed and not, and only those whose names tell their bytes are kept for ever', async () => {
    const files = await readConsoleFiles();
    for (const [name, { bytes, brotli, isImmutable }] of files ?? []) {
      expect(brotli === undefined || brotliDecompressSync(brotli).equals(bytes)).toBe(true);
      expect([name, isImmutable]).toEqual([name, name !== 'index.html']);
    }
  });

  test('the files of the console are not there in a clone that has not built them', async () => {
    expect(await readConsoleFiles('/nowhere')).toBeUndefined();
  });
});
