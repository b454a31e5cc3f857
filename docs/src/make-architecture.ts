/**
 * Draws the architecture from the parts in architecture-parts.ts and the manifests of the packages.
 *
 *     npm run architecture    writes docs/images/architecture.svg and architecture-dark.svg
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calls, type Part, rows } from './architecture-parts.ts';
import { root } from './papers.ts';

export const themes = {
  'architecture.svg': { box: '#f6f8fa', edge: '#afb8c1', text: '#1f2328', faint: '#59636e' },
  'architecture-dark.svg': { box: '#151b23', edge: '#3d444d', text: '#f0f6fc', faint: '#9198a1' },
} as const;

type Theme = (typeof themes)[keyof typeof themes];

interface Box extends Part {
  readonly row: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const size = { width: 900, boxHeight: 70, rowGap: 42, columnGap: 40 };
const height = rows.length * (size.boxHeight + size.rowGap) - size.rowGap + 2;

/** The picture in the colours of a theme. */
export function drawArchitecture(theme: Theme): string {
  const boxes = rows.flatMap(placeRow);
  const arrows = calls.map(([from, to, label]) =>
    drawCall(boxNamed(boxes, from), boxNamed(boxes, to), label, theme),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="The parts of Quire, and the calls between them">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="${theme.faint}"/></marker></defs>
${arrows.join('\n')}
${boxes.map((box) => drawBox(box, theme)).join('\n')}
</svg>
`;
}

function placeRow(parts: readonly Part[], row: number): readonly Box[] {
  const third = (size.width - 2 - 2 * size.columnGap) / 3;
  return parts.map((part) => ({
    ...part,
    row,
    width: (part.span[1] - part.span[0]) * (third + size.columnGap) - size.columnGap,
    x: 1 + part.span[0] * (third + size.columnGap),
    y: 1 + row * (size.boxHeight + size.rowGap),
  }));
}

function boxNamed(boxes: readonly Box[], name: string): Box {
  const box = boxes.find((each) => each.name === name);
  if (box === undefined) throw new Error(`${name} is not a part of architecture-parts.ts.`);
  return box;
}

function drawBox({ x, y, width, name, does, packages }: Box, theme: Theme): string {
  const middle = x + width / 2;
  const line = (dy: number, attributes: string, text: string): string =>
    `<text x="${middle}" y="${y + dy}" text-anchor="middle" ${attributes}>${text}</text>`;
  return [
    `<g><title>${packages.map(describe).join('\n')}</title>`,
    `<rect x="${x}" y="${y}" width="${width}" height="${size.boxHeight}" rx="8" fill="${theme.box}" stroke="${theme.edge}"/>`,
    line(22, `font-weight="600" fill="${theme.text}"`, name),
    line(41, `fill="${theme.text}"`, does),
    line(
      59,
      `font-size="11.5" font-family="ui-monospace, monospace" fill="${theme.faint}"`,
      packages.join(' '),
    ),
    '</g>',
  ].join('');
}

/** A line from box to box: sideways within a row, else downwards where their widths overlap. */
function drawCall(from: Box, to: Box, label: string, theme: Theme): string {
  const [x1, y1, x2, y2] = from.row === to.row ? sideways(from, to) : downwards(from, to);
  const text =
    label === ''
      ? ''
      : `<text x="${Math.round((x1 + x2) / 2) + 7}" y="${Math.round((y1 + y2) / 2) + 4}" fill="${theme.faint}" font-size="11.5">${label}</text>`;
  return `<path d="M${x1} ${y1} ${x2} ${y2}" fill="none" stroke="${theme.faint}" marker-end="url(#tip)"/>${text}`;
}

type Line = readonly [x1: number, y1: number, x2: number, y2: number];

function sideways(from: Box, to: Box): Line {
  const y = from.y + size.boxHeight / 2;
  return from.x < to.x
    ? [from.x + from.width, y, to.x - 2, y]
    : [from.x, y, to.x + to.width + 2, y];
}

function downwards(from: Box, to: Box): Line {
  const left = Math.max(from.x, to.x);
  const right = Math.min(from.x + from.width, to.x + to.width);
  const x = Math.round((left + right) / 2);
  return [x, from.y + size.boxHeight, x, to.y - 2];
}

/** The name of a package and the description of its manifest. */
function describe(name: string): string {
  const manifest = JSON.parse(
    readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
  ) as { readonly description: string };
  return `${name}: ${manifest.description.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}`;
}

if (import.meta.main) {
  for (const [file, theme] of Object.entries(themes)) {
    writeFileSync(join(root, 'docs/images', file), drawArchitecture(theme));
  }
}
