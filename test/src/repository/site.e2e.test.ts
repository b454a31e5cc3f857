import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../testkit/cli-process.ts';

const root = join(import.meta.dirname, '../../..');

/** The targets of a page's links and images, and its anchors. */
interface BuiltPage {
  readonly targets: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/** The files of a site that was built, by their paths, and its pages. */
interface BuiltSite {
  readonly files: ReadonlySet<string>;
  readonly pages: ReadonlyMap<string, BuiltPage>;
}

async function buildSite(): Promise<BuiltSite> {
  await using directory = await temporaryDirectory();
  const main = join(root, 'docs/src/main.ts');
  const conditions = '--conditions=@quire/source';
  await promisify(execFile)(
    process.execPath,
    [conditions, main, 'build', '--out-dir', directory.path],
    { cwd: root, env: { ...process.env, NODE_ENV: 'production' } },
  );
  const files = readdirSync(directory.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.path.length));
  const pages = files
    .filter((file) => file.endsWith('.html'))
    .map((file) => [file, readPage(readFileSync(join(directory.path, file), 'utf8'))] as const);
  return { files: new Set(files), pages: new Map(pages) };
}

function readPage(html: string): BuiltPage {
  const text = html.replaceAll(/<script\b[\s\S]*?<\/script>/g, '');
  const attributes = (pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, value = '']) =>
      decodeURIComponent(value.replaceAll('&amp;', '&')),
    );
  return {
    targets: attributes(/\s(?:href|src)="([^"]*)"/g),
    anchors: new Set(attributes(/\sid="([^"]*)"/g)),
  };
}

/** Returns the problem of a link of a page as a sentence; undefined if its target exists. */
function problemOf(from: string, target: string, { files, pages }: BuiltSite): string | undefined {
  if (/^(?:[a-z]+:)/.test(target)) return undefined;
  const [path = '', anchor = ''] = target.split('#');
  const absolute = path === '' ? from : posix.resolve(posix.dirname(from), path);
  const file = path.endsWith('/') ? posix.join(absolute, 'index.html') : absolute;
  if (!files.has(file)) return `${from} links to ${target}, which does not exist`;
  return anchor === '' || pages.get(file)?.anchors.has(anchor) !== false
    ? undefined
    : `${from} links to ${target}: the page has no such anchor`;
}

describe('the documentation site', () => {
  let site: BuiltSite;

  beforeAll(async () => {
    site = await buildSite();
  });

  test('the documentation site has a page for each of the readers that it is for', () => {
    expect([...site.pages.keys()]).toEqual(
      expect.arrayContaining([
        '/index.html',
        '/tutorial.html',
        '/guides/operate.html',
        '/guides/pinot.html',
        '/guides/bucket.html',
        '/guides/embed.html',
        '/guides/tools.html',
        '/guides/migrate.html',
        '/reference/settings.html',
        '/reference/http.html',
        '/reference/broker-calls.html',
        '/reference/format.html',
        '/reference/functions.html',
        '/architecture/map.html',
        '/architecture/decisions.html',
      ]),
    );
  });

  test('the documentation site links to pages, anchors and files that exist', () => {
    const links = [...site.pages].flatMap(([path, { targets }]) =>
      targets.map((target) => ({ path, target })),
    );
    expect(links.length).toBeGreaterThan(1_000);
    const problems = links.flatMap(({ path, target }) => problemOf(path, target, site) ?? []);
    expect([...new Set(problems)]).toEqual([]);
  });

  test('the documentation site loads nothing from other hosts', () => {
    const foreign = [...site.pages].flatMap(([path, { targets }]) =>
      targets
        .filter((target) => /^(?:https?:)?\/\/.*\.(?:js|css|woff2?|png|svg)$/.test(target))
        .map((target) => `${path} loads ${target}`),
    );
    expect(foreign).toEqual([]);
  });

  test('a link to a page, an anchor or a file that does not exist would be found', () => {
    const pages = new Map([
      ['/a/index.html', { targets: [], anchors: new Set(['x']) }],
      ['/b.html', { targets: [], anchors: new Set<string>() }],
    ]);
    const built = { files: new Set([...pages.keys(), '/files/c.txt']), pages };
    const found = [
      '/a/#x',
      '/files/c.txt',
      'https://x.org/y',
      '#x',
      '/a/#y',
      '../d.html',
      '/d.txt',
    ];
    expect(found.flatMap((target) => problemOf('/a/index.html', target, built) ?? [])).toEqual([
      '/a/index.html links to /a/#y: the page has no such anchor',
      '/a/index.html links to ../d.html, which does not exist',
      '/a/index.html links to /d.txt, which does not exist',
    ]);
  });
});
