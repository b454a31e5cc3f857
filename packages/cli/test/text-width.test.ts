import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, fitText, textWidth } from '../src/table/text-width.ts';

describe('textWidth', () => {
  it.each([
    ['abc', 3],
    ['', 0],
    ['東京', 4],
    ['Mu\u0308nchen', 7],
    ['👩‍👩‍👧‍👦', 2],
    ['🎉!', 3],
  ])('textWidth of %s is %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it('textWidth counts no further than asked', () => {
    expect([textWidth('abcdef', 4), textWidth('東京東京', 5), textWidth('ab', 4)]).toEqual([
      4, 5, 2,
    ]);
  });
});

describe('fitText', () => {
  it('fitText pads on the side that the alignment leaves free', () => {
    expect([fitText('ab', 4), fitText('ab', 4, 'right'), fitText('東', 4, 'right')]).toEqual([
      'ab  ',
      '  ab',
      '  東',
    ]);
  });

  it('fitText cuts with an ellipsis, and never through a character', () => {
    expect([
      fitText('abcdef', 4),
      fitText('東京都', 5),
      fitText('東京都', 4),
      fitText('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3),
    ]).toEqual(['abc…', '東京…', '東… ', '👩‍👩‍👧‍👦…']);
  });

  it('fitText fills exactly the columns asked for, whatever the text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.stringMatching(/^[ -~]*$/),
      fc.constantFrom('東京東京', '🎉🎉🎉', 'e\u0301e\u0301'),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 20 }), (value, width) => {
        expect(textWidth(fitText(value, width))).toBe(width);
      }),
    );
  });
});

describe('cutText', () => {
  it('cutText leaves a text that fits as it is', () => {
    expect(cutText('東京', 4)).toEqual({ text: '東京', width: 4 });
  });

  it('cutText gives nothing for no room, and only the ellipsis for one column', () => {
    expect([cutText('abc', 0), cutText('abc', 1)]).toEqual([
      { text: '', width: 0 },
      { text: '…', width: 1 },
    ]);
  });
});
