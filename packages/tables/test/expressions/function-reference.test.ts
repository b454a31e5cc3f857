import { ManualClock } from '@quire/core/testing';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderFunctionReference } from './render-function-reference.ts';

test('FUNCTIONS.md is the table of functions', async () => {
  const page = `<!-- prettier-ignore-start -->\n${renderFunctionReference(new ManualClock())}<!-- prettier-ignore-end -->\n`;
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, '../../FUNCTIONS.md'));
});
