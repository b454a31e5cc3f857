import type { PartReport } from '../measure/part.ts';
import { drawComparison, drawingWidth } from './draw-comparison.ts';

const margin = 16;
const titleHeight = 30;

/** Draws all comparisons of a part, one below the other, as a whole SVG file. */
export function drawPart({ comparisons }: PartReport): string {
  let top = margin;
  const pieces = comparisons.map((comparison) => {
    const { svg, height } = drawComparison(comparison);
    const y = top + titleHeight;
    top = y + height + margin;
    const title = `<text x="${margin}" y="${y - 10}" font-size="14" font-weight="600">${escapeXml(comparison.title)}</text>`;
    return `${title}\n${svg.replace('<svg', `<svg x="${margin}" y="${y}"`)}`;
  });
  const width = drawingWidth + 2 * margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" font-family="system-ui, sans-serif" fill="#222" color="#222">`,
    `<rect width="${width}" height="${top}" fill="white"/>`,
    ...pieces,
    '</svg>',
    '',
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
