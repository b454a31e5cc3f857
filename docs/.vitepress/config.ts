import { defineConfig } from 'vitepress';
import { callPages, sectionsOf } from '../src/pages.ts';
import { readPapers } from '../src/papers.ts';

/** Shows one of two images, by the reader's theme, and wraps long names in tables, so that every column stays in view. */
const style =
  '.dark .on-light, html:not(.dark) .on-dark { display: none; } .vp-doc td code { overflow-wrap: anywhere; white-space: normal; }';

export default defineConfig({
  title: 'Quire',
  description: 'A result-store engine: run a query once, page through its stored answer.',
  srcDir: '.cache/pages',
  cacheDir: '.cache/vite',
  outDir: 'dist',
  head: [
    ['style', {}, style],
    ['link', { rel: 'icon', href: 'data:,' }],
  ],
  markdown: { anchor: { slugify } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sectionsOf(readPapers()).map(({ title, pages, isCollapsed }) => ({
      text: title,
      items: [...pages, ...(title === 'Reference' ? callPages : [])].map(
        ({ path, title: text }) => ({
          text,
          link: path === 'index' ? '/' : `/${path}`,
        }),
      ),
      ...(isCollapsed === true && { collapsed: true }),
    })),
  },
});

/** Anchors are those that hosts of repositories give, so that a link works in both. */
function slugify(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
