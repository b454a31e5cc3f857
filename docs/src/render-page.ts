import { posix } from 'node:path';

/** The addresses of the site that links of papers may lead to. */
export interface LinkTargets {
  /** The page of a paper, without a leading slash; undefined where the file is not a page. */
  readonly pageOf: (paper: string) => string | undefined;
  /** The text of a file that a page includes. */
  readonly textOf: (path: string) => string;
  /** Called for each other file or folder that a page links to: the site gets a copy of it. */
  readonly onFile: (path: string) => void;
}

/** A bracket that is text: the HTML in our documents consists of these elements only. */
const notHtml = /<(?!\/?(?:details|summary|br|img)\b|!--|https:)/g;
const image = /\.(?:png|svg)$/;

/** Returns the site's path of a file of the repository: sources are text, which browsers show. */
export function addressOfFile(path: string): string {
  return `/files/${image.test(path) ? path : `${path}.txt`}`;
}

/**
 * Returns the text of a paper as a page of the site: links to papers lead to their pages, links to
 * other files of the repository to copies of them. A comment `<!-- include: path -->` is replaced
 * by the file. Code is left unchanged.
 */
export function renderPage(paper: string, markdown: string, targets: LinkTargets): string {
  const rewrite = (target: string): string => addressOf(paper, target, targets);
  return markdown
    .replaceAll(/^<!-- include: (\S+)\.(\w+) -->$/gm, (_, path: string, language: string) => {
      const file = posix.join(posix.dirname(paper), `${path}.${language}`);
      return `\`\`\`${language}\n${targets.textOf(file)}\`\`\``;
    })
    .split(/(^```[\s\S]*?^```)/m)
    .map((part) => (part.startsWith('```') ? part : renderProse(part, rewrite)))
    .join('');
}

function renderProse(text: string, rewrite: (target: string) => string): string {
  return (
    pictureByTheme(text)
      // Inline code may contain text that looks like a link.
      .split(/(`[^`\n]*`)/)
      .map((part) =>
        part.startsWith('`')
          ? part
          : part
              .replaceAll(notHtml, '&lt;')
              .replaceAll('{{', '&#123;{')
              .replaceAll(/\]\(([^)\s]+)\)/g, (_, target: string) => `](${rewrite(target)})`)
              .replaceAll(/ src="([^"]+)"/g, (_, target: string) => ` src="${rewrite(target)}"`),
      )
      .join('')
  );
}

/**
 * Replaces a `<picture>` with a source for dark pages by two images, of which the theme of the site
 * shows one: the reader may choose another theme than that of the system.
 */
function pictureByTheme(text: string): string {
  return text.replaceAll(
    /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*<\/picture>/g,
    (_, dark: string, alt: string, light: string) =>
      `<img class="on-light" alt="${alt}" src="${light}"><img class="on-dark" alt="${alt}" src="${dark}">`,
  );
}

function addressOf(paper: string, target: string, { pageOf, onFile }: LinkTargets): string {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const [relative = '', hash] = target.split('#');
  const path = posix.join(posix.dirname(paper), relative).replace(/\/$/, '');
  const page = pageOf(path) ?? pageOf(`${path}/README.md`);
  if (page === undefined) {
    onFile(path);
    return addressOfFile(path);
  }
  const address = page === 'index' ? '/' : `/${page}`;
  return hash === undefined ? address : `${address}#${hash}`;
}
