import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderRuleList } from '../../src/validate/validate.ts';

const listPath = join(import.meta.dirname, '../../VALIDATION.md');
const marker = '<!-- What follows is generated from the code: npm run reference -->\n';

test('VALIDATION.md is its hand-written head and the generated list of rules', async () => {
  const [head = ''] = (await readFile(listPath, 'utf8')).split(marker);
  const whole = `${head}${marker}<!-- prettier-ignore-start -->\n\n${renderRuleList()}\n<!-- prettier-ignore-end -->\n`;
  // `npm run reference` writes the file: it runs this test with --update.
  await expect(whole).toMatchFileSnapshot(listPath);
});
