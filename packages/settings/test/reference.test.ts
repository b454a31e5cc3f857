import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderFirstSettings, renderReference } from '../src/reference.ts';

const readmePath = join(import.meta.dirname, '../../../config/README.md');
const beforeFirst =
  '<!-- Generated from the code: npm run reference -->\n<!-- prettier-ignore-start -->\n\n';
const behindFirst = '\n<!-- prettier-ignore-end -->\n<!-- Written by hand from here. -->\n';
const marker = '<!-- What follows is generated from the code: npm run reference -->\n';

test('config/README.md is the settings to begin with, its hand-written part and the generated reference', async () => {
  const [head = ''] = (await readFile(readmePath, 'utf8')).split(marker);
  const [opening = '', rest = ''] = head.split(beforeFirst);
  const [, written = ''] = rest.split(behindFirst);
  const first = `${opening}${beforeFirst}${renderFirstSettings()}${behindFirst}${written}`;
  const whole = `${first}${marker}<!-- prettier-ignore-start -->\n\n${renderReference()}\n<!-- prettier-ignore-end -->\n`;
  // `npm run reference` writes the file: it runs this test with --update.
  await expect(whole).toMatchFileSnapshot(readmePath);
});

test('the settings to begin with are ten', () => {
  expect(renderFirstSettings().match(/^\| `/gm)).toHaveLength(10);
});
