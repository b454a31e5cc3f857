/**
 * Copies a text to the clipboard. @throws Error with a sentence on pages that may not: those
 * without TLS, except of the same machine
 */
export async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (clipboard === undefined) {
    throw new Error('Browsers allow copying only on pages with https, or on localhost.');
  }
  await clipboard.writeText(text);
}
