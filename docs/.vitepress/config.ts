import { defineConfig } from 'vitepress';
import { callPages, sectionsOf } from '../src/pages.ts';
import { readPapers } from '../src/papers.ts';

/** One of two images is shown, by the theme that the reader has chosen. */
const style = '.dark .on-light, html:not(.dark) .on-dark { display: none; }';

export default defineConfig({
  title: 'Quire',
  description: 'A result-store engine: run a query once, page through its stored answer.',
  srcDir: '.cache/pages',
  cacheDir: '.cache/vite',
  outDir: 'dist',
  head: [['style', {}, style]],
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
