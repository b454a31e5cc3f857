import { afterEach, expect, test, vi } from 'vitest';
import { copyText } from '../../app/copy-text.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a text is copied, and a page without TLS says why it is not', async () => {
  const copied: string[] = [];
  const writeText = async (text: string): Promise<void> => void copied.push(text);
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  await copyText('a');
  expect(copied).toEqual(['a']);
  vi.stubGlobal('navigator', {});
  await expect(copyText('b')).rejects.toThrow(
    'Browsers allow copying only on pages with https, or on localhost.',
  );
});
