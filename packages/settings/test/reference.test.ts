import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderReference } from '../src/reference.ts';

const readmePath = join(import.meta.dirname, '../../../config/README.md');
const marker = '<!-- What follows is generated from the code: npm run reference -->\n';

test('config/README.md is its hand-written head and the generated reference', async () => {
  const [head = ''] = (await readFile(readmePath, 'utf8')).split(marker);
  const whole = `${head}${marker}<!-- prettier-ignore-start -->\n\n${renderReference()}\n<!-- prettier-ignore-end -->\n`;
  // `npm run reference` writes the file: it runs this test with --update.
  await expect(whole).toMatchFileSnapshot(readmePath);
});
