/**
 * Builds the documentation site, or serves it while its papers are edited.
 *
 *     npm run docs                            serves it on loopback
 *     npm run docs:build                      builds it into docs/dist; dead links fail
 *     npm run docs:build -- --out-dir DIR     builds it into another directory
 */
import { watch } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, createServer } from 'vitepress';
import { readPapers, root } from './papers.ts';
import { writeSite } from './write-site.ts';

const docs = join(root, 'docs');
const pages = join(docs, '.cache/pages');

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'out-dir': { type: 'string', default: join(docs, 'dist') },
    base: { type: 'string', default: '/' },
    port: { type: 'string', default: '5173' },
  },
});

writeSite(pages);
if (positionals[0] === 'build') {
  await build(docs, { outDir: values['out-dir'], base: values.base });
} else {
  for (const paper of readPapers()) watch(join(root, paper), () => writeSite(pages));
  const server = await createServer(docs, { host: '127.0.0.1', port: Number(values.port) });
  await server.listen();
  server.printUrls();
}
