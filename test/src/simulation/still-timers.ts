/**
 * Timers of Node that never fire, and a clock that stands still, while the returned object is not
 * disposed: libraries close idle connections by real time, which a simulation must not see.
 */
export function stopTimers(): Disposable {
  const { setTimeout, setInterval, performance } = globalThis;
  const stoppedMs = performance.now();
  const never = Object.assign(
    () => {
      const timer = {
        ref: () => timer,
        unref: () => timer,
        refresh: () => timer,
        hasRef: () => false,
        close: () => timer,
        [Symbol.toPrimitive]: () => 0,
        [Symbol.dispose]: () => undefined,
      };
      return timer;
    },
    { __promisify__: setTimeout.__promisify__ },
  );
  Object.assign(globalThis, {
    setTimeout: never,
    setInterval: never,
    // Undici also looks at this clock when it uses a connection again.
    performance: { now: () => stoppedMs },
  });
  return {
    [Symbol.dispose]: () =>
      void Object.assign(globalThis, { setTimeout, setInterval, performance }),
  };
}
