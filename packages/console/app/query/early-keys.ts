import { useEffect, useRef } from 'react';
import type { GridPosition } from './result-grid.tsx';

/** Keys that move in a grid, or act on a cell of it. */
const gridKeys: readonly string[] = [
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'PageUp',
  'PageDown',
  'Home',
  'End',
  'Enter',
  ' ',
  'c',
];
/** A key that is held down must not queue more than this. */
const keptMax = 20;

/**
 * Queues the keys that are pressed while the grid moves to a cell that it has not drawn yet, and
 * replays them there: until the cell has the focus, they would go to the previous cell, or be lost.
 *
 * @param place the position of the grid, or its target
 */
export function useEarlyKeys(
  container: { readonly current: HTMLElement | null },
  place: GridPosition,
): void {
  const wanted = useRef(place);
  wanted.current = place;
  useEffect(() => {
    const { current: element } = container;
    if (element === null) return undefined;
    const stop = new AbortController();
    const kept: KeyboardEvent[] = [];
    let isOurs = false;
    let isPlaying = false;

    const isAtPlace = (cell: Element): boolean => {
      const [row, column] = [
        cell.closest('[role=row]')?.getAttribute('aria-rowindex'),
        cell.closest('[aria-colindex]')?.getAttribute('aria-colindex'),
      ];
      return Number(row) - 2 === wanted.current.row && Number(column) - 2 === wanted.current.column;
    };
    const isOnTheWay = (): boolean => {
      const focused = document.activeElement;
      if (focused === element) return true;
      // The cell that had the focus no longer exists: its row is not drawn any more.
      if (focused === document.body || focused === null) return isOurs;
      return (
        element.contains(focused) && focused.closest('[role=row]') !== null && !isAtPlace(focused)
      );
    };
    const play = (): void => {
      isPlaying = kept.length > 0 && !stop.signal.aborted;
      if (!isPlaying) return;
      if (!isOnTheWay()) {
        const key = kept.shift();
        if (key !== undefined) {
          document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', key));
        }
      }
      requestAnimationFrame(play);
    };
    const onFocus = ({ target }: FocusEvent): void => {
      isOurs = target instanceof Node && element.contains(target);
      if (!isOurs) kept.length = 0;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (
        !event.isTrusted ||
        !gridKeys.includes(event.key.length === 1 ? event.key.toLowerCase() : event.key)
      ) {
        return;
      }
      if (kept.length === 0 && !isOnTheWay()) return;
      if (kept.length > 0 && !isOurs) return;
      event.preventDefault();
      event.stopPropagation();
      if (kept.length < keptMax) kept.push(event);
      if (!isPlaying) play();
    };
    document.addEventListener('focusin', onFocus, stop);
    document.addEventListener('keydown', onKey, { capture: true, signal: stop.signal });
    return () => stop.abort();
  }, [container]);
}
